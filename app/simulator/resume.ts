import { Effect, Result } from "effect"
import type { ListItems, ListName, ListQuery } from "../../core/contract/mod.ts"
import type { BlockFeed, Transaction } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  type LedgerView,
  LedgerWriter,
  type Pooled,
  PoolStore,
  type StoreFailure
} from "../../core/ports/mod.ts"
import { Pool } from "../../core/use_cases/mod.ts"
import { retryUnlessWriterChanged, type WriterChanged } from "../store_retry.ts"
import type { LedgerSnapshot } from "./_resumed_world.ts"
import { runnerOf, type SimulationRunner } from "./calls.ts"
import type { Simulation } from "./simulation.ts"
import { auctionVariablesMax, type SubmittedTransaction } from "./world/mod.ts"

/** The services of a node from which a simulation resumes. */
export type ResumedNode = LedgerReader | LedgerWriter | Pool | PoolStore

/**
 * Continues a new simulation from the state of a ledger of the same network: accounts, queues,
 * exits, and pending transactions of the users. Moves transactions that were selected and not
 * forged back to pending. Rollbacks do not reach blocks before the resume point. Retries while the
 * failure of a store is transient; fails with `StoreFailure` otherwise, and with `WriterChanged` if
 * another process may have written the ledger.
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
    const { pending, snapshot, version } = yield* retryUnlessWriterChanged(readStores)
    const { call } = runnerOf(simulation)
    yield* call("resumeFrom", snapshot, version)
    yield* call("rememberAccepted", pending.map((pooled) => entryOf(pooled, snapshot)))
  })

const readStores = Effect.gen(function*() {
  const { batchNum, version } = yield* (yield* LedgerReader).stamp
  yield* (yield* Pool).rollBack(batchNum ?? 0)
  const snapshot = yield* readSnapshot
  const pending = yield* (yield* PoolStore).pendingSince({
    beforeMs: Number.MAX_SAFE_INTEGER,
    limit: Number.MAX_SAFE_INTEGER
  })
  return { pending, snapshot, version }
})

const readSnapshot = Effect.gen(function*() {
  const { state } = yield* (yield* LedgerReader).state
  const inspected = yield* inspectWriterView([])
  const queueNumbers = Array.from({
    length: (inspected.lastOpenQueue ?? 0) - (inspected.lastForgedQueue ?? -1)
  }, (_, i) => (inspected.lastForgedQueue ?? -1) + 1 + i)
  const { queues } = yield* inspectWriterView(queueNumbers)
  const accounts = yield* all("accounts", {}, Infinity)
  const transactions = yield* Effect.orDie(
    (yield* LedgerReader).list("transactions", { filters: {}, limit: 1 })
  )
  return {
    ...inspected,
    queues: queues.filter((queue) => queue.transactions.length > 0),
    accounts: accounts.map(({ account }) => account),
    tokens: yield* all("tokens", {}, Infinity),
    coordinators: yield* all("coordinators", {}, Infinity),
    bids: (yield* all("bids", {}, NEWEST_MAX)).map(({ bid }) => bid),
    exits: (yield* all("exits", { onlyPendingWithdraws: true }, NEWEST_MAX)).map(({ exit }) =>
      exit
    ),
    variables: state.variables,
    transactions: transactions.counts.totalItems
  } satisfies LedgerSnapshot
})

/** Number of bids and of exits to read: more than the bids of future slots and the open exits. */
const NEWEST_MAX = 400

/** Returns the newest items of a list, ascending. */
const all = Effect.fnUntraced(
  function*<N extends ListName>(list: N, filters: ListQuery<N>["filters"], count: number) {
    const reader = yield* LedgerReader
    const items: Array<ListItems[N]> = []
    for (let fromItem: number | undefined; items.length < count;) {
      // the filters here name no items
      const page = yield* Effect.catchTag(
        reader.list(list, {
          filters,
          order: "DESC",
          limit: 2049,
          ...fromItem === undefined ? {} : { fromItem }
        }),
        "NotRegistered",
        Effect.die
      )
      items.push(...page.items)
      const last = page.items.at(-1)
      if (page.counts.pendingItems === 0 || last === undefined) break
      fromItem = itemIdOf(last) - 1
    }
    return items.slice(0, count).reverse()
  }
)

const itemIdOf = (item: object): number => {
  if ("itemId" in item) return item.itemId as number
  return (Object.values(item)[0] as { readonly itemId: number }).itemId
}

interface InspectedState
  extends Pick<LedgerView, "lastBlock" | "lastBatchNum" | "lastForgedQueue" | "lastOpenQueue">
{
  readonly auctionVariables: LedgerSnapshot["auctionVariables"]
  readonly queues: ReadonlyArray<
    { readonly number: number; readonly transactions: ReadonlyArray<Transaction> }
  >
}

class InspectionResult {
  readonly _tag = "InspectionResult"
  readonly state: InspectedState
  constructor(state: InspectedState) {
    this.state = state
  }
}

/** Returns state that only the decision of a write can read: starts a write and refuses it. */
const inspectWriterView = (
  queues: ReadonlyArray<number>
): Effect.Effect<InspectedState, StoreFailure, LedgerWriter> =>
  Effect.flatMap(
    LedgerWriter,
    (writer) =>
      Effect.flip(writer.apply(blockReferringTo(queues), (view) =>
        Result.fail(
          new InspectionResult({
            lastBlock: view.lastBlock,
            lastBatchNum: view.lastBatchNum,
            lastForgedQueue: view.lastForgedQueue,
            lastOpenQueue: view.lastOpenQueue,
            auctionVariables: [...view.auctionVariables].slice(0, auctionVariablesMax),
            queues: queues.map((number) => ({ number, transactions: view.queue(number) }))
          })
        )))
  ).pipe(
    Effect.orDie,
    Effect.flatMap((refused) =>
      refused._tag === "InspectionResult" ? Effect.succeed(refused.state) : Effect.fail(refused)
    )
  )

/** Returns a block that refers to queues: a store loads only the rows to which the block refers. */
const blockReferringTo = (queues: ReadonlyArray<number>): BlockFeed => ({
  number: (1n << 64n) - 1n,
  hash: `0x${"0".repeat(64)}`,
  parentHash: `0x${"0".repeat(64)}`,
  timestampMs: 0,
  l1UserTransactions: queues.map((toForgeL1TransactionsNum) => ({
    toForgeL1TransactionsNum,
    position: 0,
    fromAddress: `0x${"0".repeat(40)}`,
    fromPublicKey: null,
    fromAccountIndex: 0,
    toAccountIndex: 0,
    tokenId: 0,
    depositAmount: 0n,
    amount: 0n
  }))
})

/** Returns a pending transaction with the keys of its accounts. */
const entryOf = (
  { sender, transaction }: Pooled,
  { accounts }: LedgerSnapshot
): SubmittedTransaction => {
  const { toAccountIndex, toAddress, toPublicKey, tokenId } = transaction
  const receiver = accounts.find((account) =>
    toAccountIndex === null
      ? account.tokenId === tokenId &&
        (toPublicKey === null ? account.address === toAddress : account.publicKey === toPublicKey)
      : account.index === toAccountIndex
  )
  return {
    transaction,
    sender: sender.publicKey,
    toAccountIndex: toAccountIndex ?? receiver?.index ?? 0,
    receiver: receiver?.publicKey ?? null
  }
}
