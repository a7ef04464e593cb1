import { Effect, type Scope, Context, Fiber, Layer, Stream } from "effect"
import { exitTreeWorkers, verifierWorkers } from "../../adapters/crypto/node.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { type BulkWrite, BulkWriter, sqlStores } from "../../adapters/sql/mod.ts"
import {
  type BlockViolation,
  decideBlockWithChecks,
  decideHead,
  decidePrices,
  decideRollBack,
  type FeedRecord,
  type GenesisFeed,
  type StoreFailure,
  type BlockFeed,
  feedPosition,
  learnAuthorizations,
  Ledger,
  LedgerReader,
  Pool,
  PoolStore,
  SignatureVerifier
} from "../../core/mod.ts"
import { connectionOptions, type ResolvedOptions, type settings } from "../config/mod.ts"
import { nodeOver } from "../node/mod.ts"
import { feedFrom, type OpenFeed, recordsAfter } from "../sources/mod.ts"
import { makeProgress } from "./progress.ts"

/** Records that can share a database transaction. */
export type BulkRecord = Exclude<FeedRecord, { readonly kind: "genesis" }>

/** Loads consecutive records with all checks, in one database transaction. */
type LoadRecords = (
  records: ReadonlyArray<BulkRecord>
) => Effect.Effect<unknown, BlockViolation | StoreFailure>

/**
 * Returns a bulk loader. A worker thread builds the exit trees: those with which the proofs of the
 * feed are compared while the database writes, and those of exits that the feed leaves out before
 * that.
 *
 * @param snapshotId reads that of the ledger
 */
export const bulkLoad = (
  bulk: BulkWriter["Service"],
  { block, constants }: GenesisFeed,
  snapshotId: LedgerReader["Service"]["snapshotId"]
): Effect.Effect<LoadRecords, never, Scope.Scope> =>
  Effect.map(exitTreeWorkers(), (buildExitTrees) => (records) => {
    const writes = records.map((record): BulkWrite<BlockViolation | StoreFailure> =>
      record.kind === "block"
        ? {
          kind: "block",
          block: record.block,
          decide: decideBlockWithChecks({ constants, keccak256 }, { buildExitTrees }, record.block)
        }
        : record.kind === "prices"
        ? { ...record, check: decidePrices(record.prices) }
        : record.kind === "head"
        ? { ...record, check: decideHead(constants.auction, record.head) }
        : { ...record, check: decideRollBack(block.number, record.toBlock) }
    )
    return Effect.flatMap(snapshotId, (before) =>
      Effect.catchTag(
        bulk.applyAll(writes),
        "BlockViolation",
        Effect.fnUntraced(function*(violation) {
          // the records before the invalid one are stored, unless a proof of it is wrong
          if ((yield* snapshotId).version > before.version) return yield* Effect.fail(violation)
          yield* Effect.forEach(writes, (write) => bulk.applyAll([write]), { discard: true })
        })
      ))
  })

/**
 * Loads a feed into a database, many blocks per transaction. Skips the records that are stored
 * already.
 */
export const ingest = ({ argument: path, database, ...settings }: Settings) =>
  Effect.scoped(Effect.gen(function*() {
    const feed = yield* feedFrom(path)
    const { genesis } = feed
    const stores = yield* Layer.build(
      // `checkDatabase` has refused a command without one
      sqlStores({ url: database!, genesis, ...connectionOptions(settings) })
    )
    const node = yield* Layer.build(
      nodeOver(Layer.succeedContext(stores), {
        genesis,
        verifier: verifierWorkers(genesis.network)
      })
    )
    yield* Effect.provide(load(feed, genesis), Context.merge(stores, node))
  }))

type Settings = ResolvedOptions<typeof settings.database & typeof settings.connections> & {
  readonly argument: string
}

/** Maximum L1 and L2 transactions, and maximum records, per database transaction. */
const groupTransactions = 4000
const groupRecords = 2000

const load = (feed: OpenFeed, genesis: GenesisFeed) =>
  Effect.gen(function*() {
    const [bulk, ledger, reader] = [yield* BulkWriter, yield* Ledger, yield* LedgerReader]
    const learn = learnAuthorizations({
      store: yield* PoolStore,
      verifier: yield* SignatureVerifier
    })
    const loadAll = yield* bulkLoad(bulk, genesis, reader.snapshotId)
    const progress = yield* makeProgress({ unit: "transactions" })
    let learning: Fiber.Fiber<void, StoreFailure> = yield* Effect.forkChild(Effect.void)
    /** The records whose authorizations are being stored. */
    let learned: ReadonlyArray<BulkRecord> = []
    let group: Array<BulkRecord> = []
    let [inGroup, transactions, blocksLoaded] = [0, 0, 0]
    let lastBlock = genesis.block.number

    const flush = Effect.gen(function*() {
      yield* Fiber.join(learning)
      const loading = learned
      learned = group
      group = []
      inGroup = 0
      // signatures are verified while the blocks before load: a stored block lacks no authorization
      learning = yield* Effect.forkChild(
        Effect.forEach(blocksOf(learned), learn, { discard: true })
      )
      if (loading.length === 0) return
      yield* loadAll(loading)
      const blocks = blocksOf(loading)
      blocksLoaded += blocks.length
      for (const block of blocks) transactions += sizeOf(block)
      lastBlock = blocks.at(-1)?.number ?? lastBlock
      yield* progress.report({
        units: transactions,
        at: `Ethereum block ${lastBlock}`,
        share: feed.share()
      })
    })

    const flushAll = Effect.andThen(flush, flush)
    const records = recordsAfter(feed.records, genesis, (yield* feedPosition).lastBlock)
    yield* Stream.fromAsyncIterable(records, (error) => error as Error).pipe(
      Stream.runForEach((record: FeedRecord) => {
        if (record.kind === "genesis") {
          return Effect.andThen(flushAll, Effect.asVoid(ledger.applyRecord(record)))
        }
        group.push(record)
        if (record.kind === "block") inGroup += sizeOf(record.block)
        return inGroup >= groupTransactions || group.length >= groupRecords ? flush : Effect.void
      })
    )
    yield* flushAll
    yield* (yield* Pool).reconcile
    const { batchNum, ethereumBlockNum } = yield* reader.snapshotId
    yield* Effect.log(
      `Loaded ${blocksLoaded} blocks with ${transactions} transactions in ${progress.end()}: ` +
        `the ledger is at Ethereum block ${ethereumBlockNum}, batch ${batchNum ?? 0}`
    )
  })

const blocksOf = (records: ReadonlyArray<BulkRecord>): ReadonlyArray<BlockFeed> =>
  records.flatMap((record) => record.kind === "block" ? [record.block] : [])

const sizeOf = ({ batches = [], l1UserTransactions = [] }: BlockFeed): number =>
  batches.reduce(
    (sum, { l1Coordinator, l2 }) => sum + l1Coordinator.length + l2.length,
    l1UserTransactions.length
  )
