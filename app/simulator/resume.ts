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
import { retryTransient, type WriterChanged } from "../store_retry.ts"
import type { LedgerSnapshot } from "./_resumed_world.ts"
import type { Simulation } from "./simulation.ts"
import type { SubmittedTransaction } from "./world/mod.ts"

/** What a simulation goes on from: the stores of the node that it drives. */
export type ResumedNode = LedgerReader | LedgerWriter | Pool | PoolStore

/**
 * Lets a new simulation go on from where a ledger of its network stands, whoever brought it there: it knows its wallets again by their keys,
 * what waits to be forged and withdrawn, and what its wallets have posted. Chance begins anew, and a rollback is not deeper than the
 * blocks since. What was announced and not forged waits again. It waits for a store that answers again by itself.
 */
export const resume = (
  simulation: Simulation
): Effect.Effect<void, StoreFailure | WriterChanged, ResumedNode> =>
  Effect.gen(function*() {
    const { pending, snapshot, version } = yield* retryTransient(readStores)
    for (const _ of simulation.resumeFrom(snapshot, version)) yield* Effect.yieldNow
    simulation.live.rememberAccepted(pending.map((pooled) => entryOf(pooled, snapshot)))
  })

/** What the stores hold. */
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
  const seen = yield* inspectWriterView([])
  const queueNumbers = Array.from({
    length: (seen.lastOpenQueue ?? 0) - (seen.lastForgedQueue ?? -1)
  }, (_, i) => (seen.lastForgedQueue ?? -1) + 1 + i)
  const { queues } = yield* inspectWriterView(queueNumbers)
  const accounts = yield* all("accounts", {}, Infinity)
  const transactions = yield* Effect.orDie(
    (yield* LedgerReader).list("transactions", { filters: {}, limit: 1 })
  )
  return {
    ...seen,
    queues: queues.filter((queue) => queue.transactions.length > 0),
    accounts: accounts.map(({ account }) => account),
    tokens: yield* all("tokens", {}, Infinity),
    coordinators: yield* all("coordinators", {}, Infinity),
    bids: (yield* all("bids", {}, NEWEST)).map(({ bid }) => bid),
    exits: (yield* all("exits", { onlyPendingWithdraws: true }, NEWEST)).map(({ exit }) => exit),
    variables: state.variables,
    transactions: transactions.counts.totalItems
  } satisfies LedgerSnapshot
})

/** Bids of slots to come and exits to be withdrawn are among so many. */
const NEWEST = 400

/** The newest items of a list, ascending. */
const all = Effect.fnUntraced(
  function*<N extends ListName>(list: N, filters: ListQuery<N>["filters"], count: number) {
    const reader = yield* LedgerReader
    const items: Array<ListItems[N]> = []
    for (let fromItem: number | undefined; items.length < count;) {
      // a filter names nothing here that could be unregistered
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
  constructor(seen: InspectedState) {
    this.state = seen
  }
}

/** The last block and the queues are shown to those who decide about a write: one that looks, and refuses. */
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
            auctionVariables: [...view.auctionVariables].slice(0, SETS_MAX),
            queues: queues.map((number) => ({ number, transactions: view.queue(number) }))
          })
        )))
  ).pipe(
    Effect.orDie,
    Effect.flatMap((refused) =>
      refused._tag === "InspectionResult" ? Effect.succeed(refused.state) : Effect.fail(refused)
    )
  )

/** As many sets of default bids as slots ahead can refer to. */
const SETS_MAX = 16

/** A block that refers to queues, for a store that shows only what a block refers to. */
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

/** What a wallet remembers of a transaction that it posted. */
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
    sender,
    toAccountIndex: toAccountIndex ?? receiver?.index ?? 0,
    receiver: receiver?.publicKey ?? null
  }
}
