import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { nodeOver, type Stores } from "../../app/node/layers.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { memoryStores } from "../../app/node/stores.ts"
import { verifyStateRootsInThread } from "../../app/threads/mod.ts"
import type { BlockFeed, FeedRecord } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { withGaps } from "../laws/mod.ts"

/* The state roots of a ledger are computed before a block is stored. */

const networkOf = (placeholderRoots: boolean) =>
  simulate({
    seed: "roots",
    users: 6,
    tokens: 1,
    rollBackPeriodBlocks: 5,
    transactionsPerBlock: 4,
    placeholderRoots
  })
const simulation = networkOf(false)
const { genesis } = simulation
const whole: ReadonlyArray<FeedRecord> = [...initialHistory(simulation, 60)]

/** Returns a ledger over the stores that verifies state roots in a new thread. */
const verifyingLedger = (stores: Context.Context<Stores>) =>
  Effect.map(
    Layer.build(
      nodeOver(Layer.succeedContext(stores), {
        genesis,
        verifyStateRoots: verifyStateRootsInThread
      })
    ),
    Context.get(Ledger)
  )

const openStores = Layer.build(memoryStores({ genesis }))

/** Applies a record; repeats the attempt while the state tree is being built. */
const apply = (ledger: Ledger["Service"], record: FeedRecord) =>
  ledger.applyRecord(record).pipe(
    Effect.tapError((error) =>
      error._tag === "StoreFailure" && error.retry ? Effect.sleep(10) : Effect.void
    ),
    Effect.retry({ while: (error) => error._tag === "StoreFailure" && error.retry })
  )

const withRoot = (block: BlockFeed, position: number, stateRoot: bigint): BlockFeed => ({
  ...block,
  batches: block.batches!.map((batch, i) => i === position ? { ...batch, stateRoot } : batch)
})

describe("a ledger that verifies state roots", () => {
  for (
    const [of, feed] of [
      ["", whole],
      [", if the feed leaves out empty blocks", withGaps(genesis, whole, "roots")]
    ] as const
  ) {
    it.live(`accepts a network with rollbacks, and refuses a wrong root of any batch, also after a restart${of}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const stores = yield* openStores
        assert.isTrue(feed.some(({ kind }) => kind === "rollBack"))
        let refused = 0
        const applyAll = Effect.fnUntraced(function*(records: ReadonlyArray<FeedRecord>) {
          const ledger = yield* verifyingLedger(stores)
          for (const record of records) {
            const batches = record.kind === "block" ? record.block.batches ?? [] : []
            for (const [position, { stateRoot }] of batches.entries()) {
              if (record.kind !== "block") continue
              const violation = yield* Effect.flip(
                apply(ledger, {
                  kind: "block",
                  block: withRoot(record.block, position, stateRoot + 1n)
                })
              )
              assert.deepInclude(violation, {
                _tag: "BlockViolation",
                invariant: "state-root",
                pointer: `/batches/${position}/stateRoot`,
                value: String(stateRoot + 1n),
                expected: `${stateRoot}, the root of all accounts after the batch`
              })
              refused++
            }
            yield* apply(ledger, record)
          }
        })
        const restart = Math.floor(0.75 * feed.length)
        yield* applyAll(feed.slice(0, restart))
        const reader = Context.get(stores, LedgerReader)
        const { counts } = yield* reader.list("accounts", { filters: {}, limit: 1 })
        assert.isAbove(counts.totalItems, 5)
        // a new thread reads the accounts of the ledger
        yield* applyAll(feed.slice(restart))
        assert.isAbove(refused, 5)
        const { snapshotId } = yield* reader.state
        const last = feed.findLast((record) => record.kind === "block")
        assert.strictEqual(snapshotId.ethereumBlockNum, last?.kind === "block" && last.block.number)
      })))
  }

  it.live("says that a stored ledger has other roots, and does not try again", () =>
    Effect.scoped(Effect.gen(function*() {
      const stores = yield* openStores
      const placeholders = [...initialHistory(networkOf(true), 60)]
      const plain = Context.get(
        yield* Layer.build(nodeOver(Layer.succeedContext(stores), { genesis })),
        Ledger
      )
      const lastBlock = placeholders.findLastIndex(({ kind }) => kind === "block")
      for (const record of placeholders.slice(0, lastBlock)) yield* plain.applyRecord(record)
      const failure = yield* Effect.flip(
        apply(yield* verifyingLedger(stores), placeholders[lastBlock]!)
      )
      assert.deepInclude(failure, { _tag: "StoreFailure", retry: false })
      assert.match(
        failure.message,
        /^The ledger has the state root \d+ in batch \d+, expected \d+, the root of its \d+ accounts: /u
      )
    })))
})
