import {
  type BatchFeed,
  type BlockFeed,
  type FeedRecord,
  type GenesisFeed,
  type L1EffectFeed,
  l1TransactionType,
  type L1UserFeed
} from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"

/** What must occur in every network of a few thousand transactions. */
export const REQUIRED_OCCURRENCES: ReadonlyArray<string> = [
  "token of 0 decimals",
  "token of 6 decimals",
  "token of 8 decimals",
  "token of 18 decimals",
  "token without price",
  "token with a name beyond ASCII",
  "price in a block",
  "price between blocks",
  "price becomes unknown",
  "several coordinators",
  "coordinator registers again",
  "bid",
  "outbid",
  "bid below the minimum",
  "bid with another withdrawal address",
  "slot without bid",
  "batch of the boot coordinator",
  "batch of a winner",
  "CreateAccountDeposit",
  "CreateAccountDepositTransfer",
  "Deposit",
  "DepositTransfer",
  "ForceTransfer",
  "ForceExit",
  "Transfer",
  "Exit",
  "coordinator account with signature",
  "internal account",
  "user with accounts of several tokens",
  "amount fails, deposit succeeds",
  "everything fails",
  "forced transfer fails",
  "new account whose transfer fails",
  "empty batch",
  "several batches in a block",
  "batch of a queue filled in the same block",
  "empty queue forged",
  "several open queues",
  "queue left unforged",
  "batch without queue",
  "fees collected",
  "several exits of one account in a batch",
  "exits of one account in several batches",
  "instant withdrawal",
  "delayed request",
  "delayed collection",
  "bucket update",
  "rollup variables",
  "auction variables",
  "withdrawal delayer variables",
  "rollback of one block",
  "rollback of several blocks"
]

/** Returns what occurs in a feed. */
export function occurrencesOf(
  { variables: { auction } }: GenesisFeed,
  records: Iterable<FeedRecord>
): ReadonlySet<string> {
  const observer = new Observer(auction.bootCoordinator)
  let tip = 0n
  for (const record of records) {
    if (record.kind === "block") {
      tip = record.block.number
      observer.block(record.block)
    } else if (record.kind === "prices") observer.seen.add("price between blocks")
    else if (record.kind === "rollBack") {
      observer.seen.add(
        tip - record.toBlock === 1n ? "rollback of one block" : "rollback of several blocks"
      )
      observer.rollBack()
    }
  }
  observer.end()
  return observer.seen
}

class Observer {
  readonly seen = new Set<string>()
  readonly #bidders = new Set<string>()
  readonly #priced = new Set<number>()
  readonly #tokens = new Set<number>()
  readonly #slots = new Set<number>()
  readonly #tokensOfKey = new Map<string, Set<number>>()
  readonly #exitBatches = new Map<number, Set<number>>()
  readonly #bootCoordinator: string
  #queues = new Map<number, ReadonlyArray<L1UserFeed>>()

  constructor(bootCoordinator: string) {
    this.#bootCoordinator = bootCoordinator
  }

  block(block: BlockFeed): void {
    this.#auction(block)
    this.#tokensOf(block)
    const own = new Set<number>()
    for (const feed of block.l1UserTransactions ?? []) {
      own.add(feed.toForgeL1TransactionsNum)
      this.#queues.set(feed.toForgeL1TransactionsNum, [
        ...this.#queues.get(feed.toForgeL1TransactionsNum) ?? [],
        feed
      ])
      if (feed.fromPublicKey !== null) this.#holds(feed.fromPublicKey, feed.tokenId)
    }
    if (this.#queues.size > 1) this.seen.add("several open queues")
    if ((block.batches ?? []).length > 1) this.seen.add("several batches in a block")
    for (const batch of block.batches ?? []) this.#batch(batch, own)
    for (const { instant } of block.withdrawals ?? []) {
      this.seen.add(instant ? "instant withdrawal" : "delayed request")
    }
    if (block.delayedWithdrawals !== undefined) this.seen.add("delayed collection")
    if (block.bucketUpdates !== undefined) this.seen.add("bucket update")
    if (block.rollupVariables !== undefined) this.seen.add("rollup variables")
    if (block.auctionVariables !== undefined) this.seen.add("auction variables")
    if (block.withdrawalDelayerVariables !== undefined) {
      this.seen.add("withdrawal delayer variables")
    }
  }

  /** Reopened queues are not tracked; they are counted again. */
  rollBack(): void {
    this.#queues = new Map()
  }

  end(): void {
    if (this.#queues.size > 0) this.seen.add("queue left unforged")
    if ([...this.#tokens].some((id) => !this.#priced.has(id))) this.seen.add("token without price")
    const slots = [...this.#slots].sort((a, b) => a - b)
    if (slots.some((slot, position) => position > 0 && slot - slots[position - 1]! > 1)) {
      this.seen.add("slot without bid")
    }
  }

  #auction({ bids = [], coordinators = [] }: BlockFeed): void {
    for (const { bidderAddr } of coordinators) {
      if (this.#bidders.has(bidderAddr)) this.seen.add("coordinator registers again")
      this.#bidders.add(bidderAddr)
    }
    if (this.#bidders.size > 2) this.seen.add("several coordinators")
    for (const { bidValue, slotNum, withdrawAddr } of bids) {
      this.seen.add("bid")
      if (this.#slots.has(slotNum)) this.seen.add("outbid")
      else if (bidValue < 6n * 10n ** 18n) this.seen.add("bid below the minimum")
      if (withdrawAddr !== undefined) this.seen.add("bid with another withdrawal address")
      this.#slots.add(slotNum)
    }
  }

  #tokensOf({ prices = [], tokens = [] }: BlockFeed): void {
    for (const { decimals, id, name } of tokens) {
      this.#tokens.add(id)
      this.seen.add(`token of ${decimals} decimals`)
      if (/[^\u0020-\u007e]/u.test(name)) this.seen.add("token with a name beyond ASCII")
    }
    for (const { priceUSD, tokenId } of prices) {
      this.seen.add(priceUSD === null ? "price becomes unknown" : "price in a block")
      this.#priced.add(tokenId)
    }
  }

  #batch(batch: BatchFeed, queuesOfBlock: ReadonlySet<number>): void {
    const queue = batch.forgeL1TransactionsNum
    const forged = queue === null ? [] : this.#queues.get(queue) ?? []
    if (queue === null) this.seen.add("batch without queue")
    else if (batch.l1UserEffects!.length === 0) this.seen.add("empty queue forged")
    else if (queuesOfBlock.has(queue)) this.seen.add("batch of a queue filled in the same block")
    if (queue !== null) this.#queues.delete(queue)
    if (queue === null && batch.l2.length === 0) this.seen.add("empty batch")
    for (const [position, feed] of forged.entries()) {
      this.#effect(feed, batch.l1UserEffects![position])
    }
    this.seen.add(
      batch.forgerAddr === this.#bootCoordinator
        ? "batch of the boot coordinator"
        : "batch of a winner"
    )
    if (batch.feeAccounts.length > 1 && batch.l2.some(({ fee }) => fee > 40)) {
      this.seen.add("fees collected")
    }
    for (const { address, publicKey, signature, tokenId } of batch.l1Coordinator) {
      this.seen.add(
        address === INTERNAL_ADDRESS
          ? "internal account"
          : `coordinator account with${signature === null ? "out" : ""} signature`
      )
      this.#holds(publicKey, tokenId)
    }
    this.#transfers(batch)
  }

  #effect(feed: L1UserFeed, effect: L1EffectFeed | undefined): void {
    if (effect === undefined) return
    const type = l1TransactionType(feed.fromAccountIndex, feed.toAccountIndex, feed.depositAmount)
    this.seen.add(type)
    const amountFails = effect.effectiveAmount !== feed.amount
    const depositFails = effect.effectiveDepositAmount !== feed.depositAmount
    if (amountFails && depositFails) this.seen.add("everything fails")
    if (amountFails && !depositFails && feed.depositAmount > 0n) {
      this.seen.add("amount fails, deposit succeeds")
    }
    if (amountFails && type.startsWith("Force")) this.seen.add("forced transfer fails")
    if (amountFails && type === "CreateAccountDepositTransfer") {
      this.seen.add("new account whose transfer fails")
    }
  }

  #transfers({ batchNum, exits, l2 }: BatchFeed): void {
    const leaving = new Set<number>()
    for (const { fromAccountIndex, toAccountIndex } of l2) {
      this.seen.add(toAccountIndex === 1 ? "Exit" : "Transfer")
      if (toAccountIndex !== 1) continue
      if (leaving.has(fromAccountIndex)) this.seen.add("several exits of one account in a batch")
      leaving.add(fromAccountIndex)
    }
    for (const { accountIndex } of exits!) {
      const batches = this.#exitBatches.get(accountIndex) ?? new Set()
      this.#exitBatches.set(accountIndex, batches.add(batchNum))
      if (batches.size > 1) this.seen.add("exits of one account in several batches")
    }
  }

  #holds(publicKey: string, tokenId: number): void {
    const tokens = this.#tokensOfKey.get(publicKey) ?? new Set()
    this.#tokensOfKey.set(publicKey, tokens.add(tokenId))
    if (tokens.size > 1) this.seen.add("user with accounts of several tokens")
  }
}
