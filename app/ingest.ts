import { Context, Effect, Layer, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { keccak256 } from "../adapters/hashing/mod.ts"
import { verifierWorkers } from "../adapters/crypto/node.ts"
import { BulkWriter } from "../adapters/sql/mod.ts"
import { type BlockFeed, decideBlock, type FeedRecord, type GenesisFeed, learnAuthorizations, Ledger, LedgerReader, type LedgerWriter, Pool, PoolStore, SignatureVerifier, type VerifyExit } from "../core/mod.ts"
import { databaseOf, userErrors } from "./database.ts"
import { feedFrom, type OpenFeed } from "./feed_file.ts"
import { nodeOver } from "./layers.ts"
import * as options from "./options.ts"
import { makeProgress } from "./progress.ts"
import { recordsBehind } from "./resumed_feed.ts"

/** Loads a feed into a database, many blocks to a transaction; what is there already is passed over. */
export const ingest = Command.make("ingest", {
  feed: Argument.String("feed").pipe(Argument.withDescription("Feed in NDJSON, as `export` and `feed` write it; - is the standard input")),
  database: options.database
}, ({ database, feed: path }) =>
  Effect.scoped(Effect.gen(function*() {
    const url = yield* databaseOf(database)
    const feed = yield* feedFrom(path)
    const { sqlStores } = yield* Effect.promise(() => import("../adapters/sql/mod.ts"))
    const { verifyExitProof } = yield* Effect.promise(() => import("../adapters/crypto/mod.ts"))
    const { genesis } = feed
    const stores = yield* Layer.build(sqlStores({ url, genesis }))
    const node = yield* Layer.build(nodeOver(Layer.succeedContext(stores), { genesis, verifier: verifierWorkers(genesis.network) }))
    yield* Effect.provide(load(feed, genesis, verifyExitProof), Context.merge(stores, node))
  })).pipe(userErrors)).pipe(Command.withDescription("Load a feed into a PostgreSQL database, with all checks"))

/** Transactions, queued ones included, that one database transaction takes; fewer blocks where they are large, and not endlessly many empty ones. */
const groupTransactions = 4000
const groupBlocks = 2000

const load = (feed: OpenFeed, genesis: GenesisFeed, verifyExit: VerifyExit) =>
  Effect.gen(function*() {
    const [bulk, ledger, reader] = [yield* BulkWriter, yield* Ledger, yield* LedgerReader]
    const learn = learnAuthorizations({ store: yield* PoolStore, verifier: yield* SignatureVerifier })
    const rules = { constants: genesis.constants, keccak256, verifyExit }
    const progress = makeProgress({ unit: "transactions" })
    let group: Array<BlockFeed> = []
    let [inGroup, transactions, blocksLoaded] = [0, 0, 0]

    const flush = Effect.gen(function*() {
      const blocks = group
      if (blocks.length === 0) return
      group = []
      inGroup = 0
      yield* bulk.applyAll(blocks, (block) => decideBlock(rules, block))
      blocksLoaded += blocks.length
      for (const block of blocks) {
        transactions += sizeOf(block)
        yield* learn(block)
      }
      yield* progress.tell({ units: transactions, at: `Ethereum block ${blocks.at(-1)!.number}`, share: feed.share() })
    })

    const records = recordsBehind(feed.records, genesis, yield* Effect.context<LedgerWriter>())
    yield* Stream.fromAsyncIterable(records, (error) => error as Error).pipe(Stream.runForEach((record: FeedRecord) => {
      if (record.kind !== "block") return Effect.andThen(flush, Effect.asVoid(ledger.applyRecord(record)))
      group.push(record.block)
      inGroup += sizeOf(record.block)
      return inGroup >= groupTransactions || group.length >= groupBlocks ? flush : Effect.void
    }))
    yield* flush
    yield* (yield* Pool).settle
    const { batchNum, ethereumBlockNum } = yield* reader.stamp
    yield* Effect.log(`${blocksLoaded} blocks with ${transactions} transactions were loaded in ${progress.elapsed()}: ` +
      `the ledger stands at Ethereum block ${ethereumBlockNum}, batch ${batchNum ?? 0}`)
  })

const sizeOf = ({ batches = [], l1UserTransactions = [] }: BlockFeed): number =>
  batches.reduce((sum, { l1Coordinator, l2 }) => sum + l1Coordinator.length + l2.length, l1UserTransactions.length)
