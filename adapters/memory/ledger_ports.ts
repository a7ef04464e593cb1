import { Clock, Effect, Layer, Result, Semaphore } from "effect"
import type {
  BlockChanges,
  BlockFeed,
  FeedRecord,
  GenesisFeed,
  RecommendedFeeOptions
} from "../../core/domain/mod.ts"
import {
  type BlockReport,
  type Decision,
  type DeferredDecision,
  LatestLedgerVersion,
  LedgerHistory,
  LedgerReader,
  LedgerWriter,
  type PriorLedger,
  type StoreFailure
} from "../../core/ports/mod.ts"
import { completeBlock, StagedLedger } from "../../core/use_cases/mod.ts"
import { type MemoryLedger, openMemoryLedger } from "./ledger.ts"

/**
 * Returns the reader port of a ledger in memory.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { memoryReader, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const reader = memoryReader(openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis }))
 * const page = reader.list("accounts", { filters: { tokenIds: [0, 7] } })
 * const error = await Effect.runPromise(Effect.flip(page))
 * console.log(error._tag, error.message) // => NotRegistered Token 7 is not registered
 * ```
 */
export const memoryReader = (ledger: MemoryLedger): LedgerReader["Service"] => ({
  list: (name, query) => Effect.suspend(() => Effect.fromResult(ledger.list(name, query))),
  find: (name, key) => Effect.sync(() => ledger.find(name, key)),
  accountsAndTokens: (of) => Effect.sync(() => ledger.accountsAndTokens(of)),
  state: Effect.sync(ledger.state),
  snapshotId: Effect.sync(ledger.snapshotId)
})

/**
 * Returns the history port of a ledger in memory.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { memoryHistory, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const history = memoryHistory(openMemoryLedger({ genesis }))
 * const { item } = await Effect.runPromise(history.block(genesis.block.number))
 * console.log(item?.previous, item?.next, item?.batches) // => null null []
 * ```
 */
export const memoryHistory = (ledger: MemoryLedger): LedgerHistory["Service"] => ({
  block: (number) =>
    Effect.sync(() => ({ item: ledger.block(number), snapshotId: ledger.snapshotId() })),
  rollBacks: (query) =>
    Effect.sync(() => ({ items: ledger.rollBacks(query), snapshotId: ledger.snapshotId() })),
  finalBlock: Effect.sync(() => ({ item: ledger.finalBlock(), snapshotId: ledger.snapshotId() }))
})

/**
 * Makes a write in memory, once its record is durable. `record` is null if the write changes
 * nothing; `timeMs` is the time of a rollback, in milliseconds since 1970. If the record cannot
 * become durable, the write is not made.
 */
export type RecordWrite = <A, E>(
  record: (() => FeedRecord) | null,
  write: () => Result.Result<A, E>,
  timeMs?: number
) => Effect.Effect<A, E | StoreFailure>

const writeAtOnce: RecordWrite = (_, write) => Effect.suspend(() => Effect.fromResult(write()))

/**
 * Returns the write port of a ledger in memory. Writes run one at a time, in the order of the calls.
 * A write waits while the check of an earlier decision runs. Reads do not wait, and see the ledger
 * without the write. `recordWrite` makes the accepted writes, by default at once.
 *
 * ```ts
 * import { Effect, Result } from "effect"
 * import { ledgerWriter, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const ledger = openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis })
 * const prices = [{ tokenId: 0, priceUSD: 2000, timeMs: 0 }]
 * await Effect.runPromise(ledgerWriter(ledger).setPrices(prices, () => Result.void))
 * console.log(ledger.find("token", 0).item?.priceUSD) // => 2000
 * ```
 */
export const ledgerWriter = (
  ledger: MemoryLedger,
  recordWrite: RecordWrite = writeAtOnce
): LedgerWriter["Service"] => {
  const semaphore = Semaphore.makeUnsafe(1)
  const { base } = ledger
  const checked = <A, E>(
    check: (prior: PriorLedger) => Result.Result<void, E>,
    write: () => Effect.Effect<A, E | StoreFailure>
  ) =>
    semaphore.withPermit(
      Effect.suspend(() => Effect.flatMap(Effect.fromResult(check(base)), write))
    )
  return {
    apply: (block, decide) => semaphore.withPermit(applyBlock(ledger, recordWrite, block, decide)),
    // recorded even if no block is dropped, since the version grows
    rollBack: (toBlock, check) =>
      checked(check, () =>
        Effect.flatMap(Clock.currentTimeMillis, (timeMs) =>
          recordWrite(
            () => ({ kind: "rollBack", toBlock }),
            () => ledger.rollBack(toBlock, () => Result.void, { timeMs }),
            timeMs
          ))),
    setPrices: (prices, check) =>
      checked(check, () => {
        const placed = new StagedLedger(base).setPrices(prices)
        return recordWrite(
          () => ({ kind: "prices", prices }),
          () => Result.succeed(ledger.insert(placed))
        )
      }),
    setHead: (head, check) =>
      checked(check, () =>
        recordWrite(
          () => ({ kind: "head", head }),
          () => ledger.setHead(head, () => Result.void)
        ))
  }
}

/** Decides about a block, waits for the check of the decision, and writes its changes. */
const applyBlock = <E>(
  ledger: MemoryLedger,
  recordWrite: RecordWrite,
  block: BlockFeed,
  decide: (prior: PriorLedger) => Result.Result<Decision<E> | DeferredDecision<E>, E>
): Effect.Effect<BlockReport, E | StoreFailure> =>
  Effect.gen(function*() {
    const decided = yield* Effect.fromResult(decide(ledger.base))
    const decision = decided.kind === "deferred" ? yield* decided.resolve : decided
    if (decision.kind === "alreadyStored") {
      return yield* recordWrite<BlockReport, never>(
        null,
        () => Result.succeed({ applied: false, snapshotId: ledger.snapshotId() })
      )
    }
    const { changes, check = yieldForLargeBlocks(changes) } = decision
    yield* check
    yield* yieldForLargeBlocks(changes)
    // no other write ran during the check, so the decision still fits the ledger
    const placed = new StagedLedger(ledger.base).place(changes)
    return yield* recordWrite<BlockReport, never>(
      // a replay never builds an exit tree
      () => ({ kind: "block", block: completeBlock(block, placed) }),
      () => Result.succeed({ applied: true, snapshotId: ledger.insert(placed), placed })
    )
  })

/** Yields to other fibers between two steps of a write, if its block is large. */
const yieldForLargeBlocks = ({ batches, queued }: BlockChanges): Effect.Effect<void> =>
  batches.reduce((sum, { transactions }) => sum + transactions.length, queued.length) <
      largeBlockTransactions
    ? Effect.void
    : Effect.yieldNow

/** A block with fewer transactions takes too little time for readers to notice. */
const largeBlockTransactions = 8

/**
 * Returns a layer with the ports of an open ledger. Write to it only through this layer.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { LedgerReader } from "rollup-node-api"
 * import { layerOf, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const ledger = openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis })
 * const findEther = Effect.flatMap(LedgerReader, (reader) => reader.find("token", 0))
 * const { item } = await Effect.runPromise(Effect.provide(findEther, layerOf(ledger)))
 * console.log(item?.symbol) // => ETH
 * ```
 */
export const layerOf = (
  ledger: MemoryLedger
): Layer.Layer<LedgerHistory | LedgerReader | LedgerWriter> =>
  Layer.mergeAll(
    Layer.succeed(LatestLedgerVersion, {
      id: ledger.id,
      version: () => ledger.snapshotId().version,
      snapshot: ledger.snapshot,
      isRemote: false
    }),
    Layer.succeed(LedgerReader, memoryReader(ledger)),
    Layer.succeed(LedgerHistory, memoryHistory(ledger)),
    Layer.succeed(LedgerWriter, ledgerWriter(ledger))
  )

/**
 * Returns a layer with the ports of a new ledger in memory, one for each time it is built.
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger, LedgerReader } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { layer } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const program = Effect.gen(function*() {
 *   for (let i = 0; i < 9; i++) yield* (yield* Ledger).applyRecord(simulation.next())
 *   return yield* (yield* LedgerReader).find("batch", 1)
 * })
 * const stores = Layer.provideMerge(Ledger.layer(genesis, keccak256), layer(genesis))
 * const { item, snapshotId } = await Effect.runPromise(Effect.provide(program, stores))
 * console.log(item?.ethereumBlockNum, snapshotId.batchNum) // => 18000001n 8
 * ```
 */
export const layer = (
  genesis: GenesisFeed,
  fees: RecommendedFeeOptions = {}
): Layer.Layer<LedgerHistory | LedgerReader | LedgerWriter> =>
  Layer.unwrap(Effect.sync(() => layerOf(openMemoryLedger({ genesis, ...fees }))))
