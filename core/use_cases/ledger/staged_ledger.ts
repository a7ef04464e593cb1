import type {
  Bid,
  BlockChanges,
  Coordinator,
  HeadFeed,
  New,
  PriceFeed,
  Token,
  Transaction
} from "../../domain/mod.ts"
import {
  type LedgerBase,
  type LedgerPart,
  type LedgerRollBack,
  snapshotIdOf,
  type PlacedBlock,
  type PlacedHead,
  type PlacedPrice,
  type PlacedPrices,
  type PlacedWithdrawal,
  type RollBackReport
} from "../../ports/mod.ts"
import { placeBatch, placeTransaction } from "./_place_batch.ts"
import { notStorable, StagedState } from "./_staged_state.ts"

/**
 * A ledger with some blocks, prices and heads placed on it, which its store has not written yet. It
 * reads the base, which must not change meanwhile, and holds only the rows that were placed. It
 * gives them their item ids, and computes totals and values before and after each batch, so that
 * every store writes the same rows.
 *
 * It throws if changes violate an invariant of the tables, which is a defect of the caller. Nothing
 * is written then, and the staged ledger must not be used any more.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decideBlock, StagedLedger } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const staged = new StagedLedger(openMemoryLedger({ genesis }).base)
 * for (let i = 0; i < 9; i++) {
 *   const record = next()
 *   if (record.kind !== "block") continue
 *   const decide = decideBlock({ ...genesis, keccak256 }, record.block)
 *   const decision = Result.getOrThrow(decide(staged.base))
 *   if (decision.kind !== "store") continue
 *   const { batches, snapshotId } = staged.place(decision.changes)
 *   if (i === 8) console.log(snapshotId.version, batches[0]?.totals.accounts) // => 17 125
 * }
 * ```
 */
export class StagedLedger {
  readonly #state: StagedState

  constructor(base: LedgerBase) {
    this.#state = new StagedState(base)
  }

  /** The ledger after the blocks, prices and heads placed so far, for the next decision. */
  get base(): LedgerBase {
    return this.#state
  }

  /** Places a block: adds its changes, in the order of the references between its parts. */
  place(changes: BlockChanges): PlacedBlock {
    const state = this.#state
    const { block, lastEthereumBlock, variables } = changes
    const { lastBlock: previous } = state
    if (block.number <= previous.number) {
      throw notStorable(`block ${block.number} does not come after block ${previous.number}`)
    }
    const coordinators = changes.coordinators.map((row) => placeRegistration(state, row))
    const tokens = changes.tokens.map((row) => placeToken(state, row))
    const prices = changes.prices.map((price) => placePrice(state, price))
    const queued = changes.queued.map((row) => placeQueued(state, row))
    const batches = changes.batches.map((batch) => placeBatch(state, batch))
    const bids = changes.bids.map((bid) => placeBid(state, bid))
    state.setVariables(variables)
    const withdrawals = changes.withdrawals.map((withdrawal) =>
      placeWithdrawal(state, withdrawal, block.number)
    )
    state.addBlock(block)
    state.lastEthereumBlock = lastEthereumBlock
    state.version += 1 + batches.length
    return {
      kind: "block",
      block,
      previous,
      lastEthereumBlock,
      coordinators,
      tokens,
      prices,
      queued,
      batches,
      bids,
      variables,
      withdrawals,
      lastBatchNum: state.lastBatchNum,
      lastAccountIndex: state.lastAccountIndex,
      lastTokenId: state.lastTokenId,
      totalQueued: state.totalQueued,
      next: { ...state.next },
      parts: partsOfBlock(changes),
      snapshotId: snapshotIdOf(state)
    }
  }

  /** Sets prices of the last block. */
  setPrices(prices: ReadonlyArray<PriceFeed>): PlacedPrices {
    const placed = prices.map((price) => placePrice(this.#state, price))
    this.#state.version++
    return {
      kind: "prices",
      prices: placed,
      parts: prices.length === 0 ? [] : ["tokens"],
      snapshotId: snapshotIdOf(this.#state)
    }
  }

  /**
   * Removes a ledger that was staged on this one. The versions and item ids continue after those of
   * the removed ledger.
   */
  rollBack(
    removed: StagedLedger,
    to: { readonly toBlock: bigint; readonly blocks: number; readonly timeMs: number }
  ): PlacedRollBack {
    const { lastBatchNum, lastBlock } = this.#state
    const placed = placeRollBack(removed.#state, { ...to, lastBlock, lastBatchNum })
    Object.assign(this.#state.next, removed.#state.next)
    this.#state.version = placed.snapshotId.version
    this.#state.head = placed.head
    return placed
  }

  /** Replaces the head. */
  setHead(head: HeadFeed): PlacedHead {
    this.#state.head = head
    this.#state.version++
    return { kind: "head", head, parts: ["head"], snapshotId: snapshotIdOf(this.#state) }
  }
}

export type PlacedRollBack = ReturnType<typeof placeRollBack>

/** Returns the report of a rollback and what else it changes, besides the rows of removed blocks. */
export const placeRollBack = (
  before: Pick<LedgerBase, "head" | "lastBlock" | "lastBatchNum" | "version">,
  { blocks, lastBatchNum, lastBlock, timeMs, toBlock }:
    & Pick<RollBackReport, "toBlock" | "lastBlock" | "lastBatchNum" | "blocks">
    & Pick<LedgerRollBack, "timeMs">
) => {
  const isHeadRemoved = before.head !== null && before.head.number > toBlock
  const head = isHeadRemoved ? null : before.head
  const version = before.version + 1
  const batches = before.lastBatchNum - lastBatchNum
  const snapshotId = snapshotIdOf({ head, lastBatchNum, lastBlock, version })
  const parts: ReadonlyArray<LedgerPart> = blocks > 0
    ? ["rollBacks"]
    : isHeadRemoved
    ? ["head"]
    : []
  const removed = { version, lastBlock, removedBlock: before.lastBlock, blocks, batches, timeMs }
  return {
    report: { toBlock, lastBlock, blocks, batches, isHeadRemoved, lastBatchNum, snapshotId },
    /** The entry of the list of rollbacks; null if no block was removed. */
    entry: blocks === 0 ? null : removed,
    head,
    parts,
    snapshotId
  }
}

/** Returns the parts that a block changes. */
export const partsOfBlock = (
  { batches, bids, coordinators, prices, tokens, variables, withdrawals }: BlockChanges
): ReadonlyArray<LedgerPart> => {
  const parts: Array<LedgerPart> = ["blocks"]
  if (tokens.length > 0 || prices.length > 0) parts.push("tokens")
  if (batches.some(({ accounts }) => accounts.length > 0)) parts.push("accounts")
  if (withdrawals.length > 0 || batches.some(({ exits }) => exits.length > 0)) parts.push("exits")
  // no list contains queued transactions before they are forged
  if (batches.some(({ transactions }) => transactions.length > 0)) parts.push("transactions")
  if (batches.length > 0) parts.push("batches")
  if (variables.auction !== undefined) parts.push("auction")
  if (bids.length > 0) parts.push("bids")
  if (coordinators.length > 0) parts.push("coordinators")
  if (variables.rollup !== undefined) parts.push("verifiers")
  return parts
}

const placeRegistration = (state: StagedState, registration: New<Coordinator>): Coordinator => {
  const coordinator = { itemId: state.next.coordinators++, ...registration }
  state.registrations.set(coordinator.bidderAddr, coordinator)
  return coordinator
}

const placeToken = (state: StagedState, token: New<Token>): Token => {
  if (token.id !== state.lastTokenId + 1) {
    throw notStorable(`token ${token.id} is not the next one`)
  }
  const row = { itemId: state.next.tokens++, ...token }
  state.setToken(row)
  return row
}

const placePrice = (state: StagedState, { priceUSD, timeMs, tokenId }: PriceFeed): PlacedPrice => {
  const before = state.token(tokenId)
  if (before === undefined) {
    throw notStorable(`token ${tokenId} has a price and is not registered`)
  }
  const after = { ...before, priceUSD, priceTimeMs: priceUSD === null ? null : timeMs }
  state.setToken(after)
  return { before, after }
}

const placeQueued = (state: StagedState, row: New<Transaction>): Transaction => {
  const queue = row.l1?.toForgeL1TransactionsNum ?? null
  if (queue === null || row.batchNum !== null) {
    throw notStorable(`transaction ${row.id} is not queued`)
  }
  if (row.position <= (state.queue(queue).at(-1)?.position ?? -1)) {
    throw notStorable(`transaction ${row.id} is not the last one of its queue`)
  }
  const queued = placeTransaction(state, row)
  state.enqueue(queue, queued)
  return queued
}

const placeBid = (state: StagedState, bid: New<Bid>): Bid => {
  if (state.registration(bid.bidderAddr) === undefined) {
    throw notStorable(`bidder ${bid.bidderAddr} is not registered`)
  }
  const row = { itemId: state.next.bids++, ...bid }
  state.bestBids.set(row.slotNum, row)
  return row
}

const placeWithdrawal = (
  state: StagedState,
  { accountIndex, batchNum, field }: BlockChanges["withdrawals"][number],
  blockNum: bigint
): PlacedWithdrawal => {
  const before = state.exit(batchNum, accountIndex)
  if (before === undefined) {
    throw notStorable(
      `exit of batch ${batchNum} and account ${accountIndex} is withdrawn and does not exist`
    )
  }
  const after = { ...before, [field]: blockNum }
  state.setWithdrawn(after)
  return { before, after, field }
}
