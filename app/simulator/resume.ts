import { Effect } from "effect"
import { fromItemMax } from "../../core/contract/mod.ts"
import type { Account, Transaction } from "../../core/domain/mod.ts"
import { LedgerReader, type LedgerWriter, type StoreFailure } from "../../core/ports/mod.ts"
import { feedPosition, Pool } from "../../core/use_cases/mod.ts"
import { retryUnlessWriterChanged, type WriterChanged } from "../stores/mod.ts"
import type { LedgerContent } from "./_resumed_world.ts"
import { runnerOf, type SimulationRunner } from "./calls.ts"
import type { Simulation } from "./simulation.ts"

/** The services of a node from which a simulation resumes. */
export type ResumedNode = LedgerReader | LedgerWriter | Pool

/**
 * Continues the network of a ledger with a new simulation: its blocks follow the last block, and its
 * users and coordinators send from their accounts. It keeps no other state of an earlier simulation:
 * exits before the resume point, for example, are not withdrawn. Moves transactions that were
 * selected and not forged back to pending. Rollbacks do not reach blocks before the resume point.
 * Retries while the failure of a store is transient; fails with `StoreFailure` otherwise, and with
 * `WriterChanged` if another process may have written the ledger.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Ledger } from "rollup-node-api"
 * import { nodeLayer } from "rollup-node-api/embed/effect"
 * import { resume, simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const program = Effect.gen(function*() {
 *   const ledger = yield* Ledger
 *   for (let i = 0; i < 20; i++) yield* ledger.applyRecord(next())
 *   // as after a restart of the process
 *   const simulation = simulate({ seed: 2 })
 *   yield* resume(simulation)
 *   return (yield* ledger.applyRecord(simulation.next())).kind
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, nodeLayer({ genesis })))) // => block
 * ```
 */
export const resume = (
  simulation: Simulation | SimulationRunner
): Effect.Effect<void, StoreFailure | WriterChanged, ResumedNode> =>
  Effect.gen(function*() {
    const { content, version } = yield* retryUnlessWriterChanged(readLedger)
    yield* runnerOf(simulation).call("resumeFrom", content, version)
  })

/** Items of a page: more than the bids of open slots, and the batches since the last one with a queue. */
const PAGE_SIZE = 2000

const readLedger = Effect.gen(function*() {
  const reader = yield* LedgerReader
  const { batchNum, version } = yield* reader.snapshotId
  yield* (yield* Pool).rollBack(batchNum ?? 0)
  const { lastBlock: block } = yield* feedPosition
  const { state } = yield* reader.state
  const newest = { filters: {}, order: "DESC", limit: PAGE_SIZE } as const
  const { items: tokens } = yield* reader.list("tokens", { ...newest, order: "ASC" })
  const { items: batches } = yield* reader.list("batches", newest)
  const { items: bids } = yield* reader.list("bids", newest)
  const { items: coordinators } = yield* reader.list("coordinators", {
    ...newest,
    filters: { onlyLatest: true }
  })
  const { counts } = yield* reader.list("transactions", { filters: {}, limit: 1 })
  const queued = yield* queuedTransactions(state.pendingL1Transactions)
  const forgedQueue = batches.find(({ forgeL1TransactionsNum }) => forgeL1TransactionsNum !== null)
  const content: LedgerContent = {
    block,
    lastBatchNum: batchNum ?? 0,
    nextQueue: (forgedQueue?.forgeL1TransactionsNum ?? -1) + 1,
    queues: [...Map.groupBy(queued, ({ l1 }) => l1!.toForgeL1TransactionsNum!)]
      .map(([number, transactions]) => ({
        number,
        transactions: transactions.toSorted((a, b) => a.position - b.position)
      }))
      .toSorted((a, b) => a.number - b.number),
    accounts: yield* allAccounts,
    coordinators,
    forgers: state.nextForgers,
    tokens,
    // the best bid of a slot is the newest one
    bids: new Map(bids.toReversed().map(({ bid }) => [bid.slotNum, bid])),
    variables: state.variables,
    transactionCount: counts.totalItems
  }
  return { content, version }
  // the filters name no item
}).pipe(Effect.catchTag("NotRegistered", Effect.die))

/** Returns the transactions in queues, of which there are `count`; they are among the newest ones. */
const queuedTransactions = Effect.fnUntraced(function*(count: number) {
  const reader = yield* LedgerReader
  const queued: Array<Transaction> = []
  const query = { filters: { includePending: true }, order: "DESC", limit: PAGE_SIZE } as const
  for (let fromItem = fromItemMax; queued.length < count;) {
    const { items } = yield* reader.list("transactions", { ...query, fromItem })
    const last = items.at(-1)
    if (last === undefined) break
    for (const { transaction } of items) if (transaction.batchNum === null) queued.push(transaction)
    fromItem = last.transaction.itemId - 1
  }
  return queued
})

const allAccounts = Effect.gen(function*() {
  const reader = yield* LedgerReader
  const accounts: Array<Account> = []
  for (let fromItem = 0;;) {
    const { items } = yield* reader.list("accounts", { filters: {}, fromItem, limit: PAGE_SIZE })
    const last = items.at(-1)
    if (last === undefined) return accounts
    accounts.push(...items.map(({ account }) => account))
    fromItem = last.account.itemId + 1
  }
})
