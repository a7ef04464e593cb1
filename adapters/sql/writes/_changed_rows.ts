import { type Exit, withdrawalFields } from "../../../core/domain/mod.ts"
import { type PlacedBatch, type PlacedBlock, snapshotIdOf } from "../../../core/ports/mod.ts"
import {
  type BatchRow,
  type BlockRow,
  parameterKinds,
  type ParameterSet,
  parameterSetRow,
  type PriceChange
} from "../entities/mod.ts"
import type { LoadedLedger } from "./_load_ledger.ts"
import type { StagedWrites } from "./_staged_writes.ts"
import type { Placed } from "./bulk_write.ts"

/** The rows that one write adds or changes, and the ledger after it. */
export type ChangedRows = ReturnType<typeof changedRows>

/**
 * Returns the rows that the staged writes add to `base`. Rows that later blocks of the write can
 * change (balances, prices, withdrawals) are in the state after the last block.
 */
export const changedRows = (
  base: LoadedLedger,
  { ledger: { base: after }, placed, rollBacks }: StagedWrites
) => {
  const blocks = placed.filter((each) => each.kind === "block")
  const batches = blocks.flatMap((block) => block.batches)
  const accountChanges = batches.flatMap((batch) => batch.accountChanges)
  const priceChanges = priceChangesOf(placed, base.nextPricePosition)
  const withdrawals = blocks.flatMap((block) => block.withdrawals)
  const forgedItems = new Set(batches.flatMap(({ forged }) => forged.map(({ itemId }) => itemId)))
  const accountsOf = (changes: typeof accountChanges) =>
    [...new Set(changes.map(({ index }) => index))].map((index) => after.account(index)!)
  const exitAfter = (exit: Exit): Exit => after.exit(exit.batchNum, exit.accountIndex)!
  const tokensOf = (ids: Iterable<number>) => Array.from(ids, (id) => after.token(id)!)
  const changesTokens = placed.some(({ parts }) => parts.includes("tokens"))
  return {
    snapshotId: snapshotIdOf(after),
    head: after.head,
    next: after.next,
    tokenVersion: base.tokenVersion + (changesTokens ? 1 : 0),
    parts: new Set([...placed, ...rollBacks].flatMap(({ parts }) => parts)),
    rollBacks: rollBacks.flatMap(({ entry }) => entry ?? []),
    blocks: blocks.map(blockRowOf),
    coordinators: blocks.flatMap((block) => block.coordinators),
    tokens: tokensOf(blocks.flatMap(({ tokens }) => tokens.map(({ id }) => id))),
    // tokens, accounts and exits that were stored before the write are updated
    pricedTokens: tokensOf(new Set(priceChanges.map(({ tokenId }) => tokenId)))
      .filter(({ id }) => id <= base.lastTokenId),
    priceChanges,
    queued: blocks.flatMap(({ queued }) =>
      queued.map((row) => ({ ...row, forged: forgedItems.has(row.itemId) }))
    ),
    forgedItems: [...forgedItems].filter((itemId) => itemId < base.next.transactions),
    batches: batches.map(batchRowOf),
    accounts: accountsOf(accountChanges.filter(({ before }) => before === null)),
    updatedAccounts: accountsOf(
      accountChanges.filter(({ index }) => index <= base.lastAccountIndex)
    ),
    transactions: batches.flatMap((batch) => batch.transactions),
    exits: batches.flatMap(({ exits }) => exits.map(exitAfter)),
    withdrawnExits: [...new Map(withdrawals.map(({ before }) => [before.itemId, before])).values()]
      .filter(({ itemId }) => itemId < base.next.exits)
      .map((exit) => ({
        before: base.exit(exit.batchNum, exit.accountIndex)!,
        after: exitAfter(exit)
      })),
    withdrawals: withdrawals.map(({ after, before, field }) => ({
      blockNum: after[field]!,
      exitItem: before.itemId,
      field: withdrawalFields.indexOf(field)
    })),
    bids: blocks.flatMap((block) => block.bids),
    parameterSets: blocks.flatMap(parameterSetsOf)
  }
}

const blockRowOf = ({ block, previous, ...row }: PlacedBlock): BlockRow => ({
  ...row,
  block,
  previousAfterGap: block.number === previous.number + 1n ? null : previous.number
})

const batchRowOf = (
  { accountChanges, batch, exits, lastForgedQueue, next, totals, transactions }: PlacedBatch
): BatchRow => {
  const before = accountChanges.flatMap((change) => change.before ?? [])
  return {
    batch,
    transactions: { from: next.transactions - transactions.length, to: next.transactions },
    exits: { from: next.exits - exits.length, to: next.exits },
    totals,
    lastForgedQueue,
    changedAccounts: accountChanges.map(({ index }) => index),
    noncesBefore: before.map(({ nonce }) => nonce),
    balancesBefore: before.map(({ balance }) => balance),
    nonces: accountChanges.map(({ after }) => after.nonce),
    balances: accountChanges.map(({ after }) => after.balance)
  }
}

/** Returns the prices before each price; those of a block are numbered from 0. */
const priceChangesOf = (
  placed: ReadonlyArray<Placed>,
  nextPosition: number
): ReadonlyArray<PriceChange> => {
  let position = nextPosition
  return placed.flatMap((each) => {
    if (each.kind === "head") return []
    if (each.kind === "block") position = 0
    return each.prices.map(({ before }) => ({
      blockNum: each.snapshotId.ethereumBlockNum,
      position: position++,
      tokenId: before.id,
      priceUSDBefore: before.priceUSD,
      priceTimeMsBefore: before.priceTimeMs
    }))
  })
}

const parameterSetsOf = ({ block, variables }: PlacedBlock): ReadonlyArray<ParameterSet> =>
  parameterKinds.flatMap((kind) => {
    const set = variables[kind]
    return set === undefined ? [] : [parameterSetRow(kind, block.number, set)]
  })
