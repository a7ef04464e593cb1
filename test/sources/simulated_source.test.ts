import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger } from "effect"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { sourceOf } from "../../app/sources/mod.ts"
import { Ledger, LedgerReader, LedgerWriter, Monitor, StoreFailure } from "../../core/mod.ts"

/* The source of blocks of a server without a feed, and its health check. */

const network = {
  seed: "source",
  transactions: 40,
  transactionsMax: 60,
  paceSeconds: 0.001,
  prefix: "zk",
  empty: false,
  feed: undefined
}

/**
 * Starts a source over stores that refuse writes after this number of records. With a lease, they
 * are shared, and reading the last block waits for it.
 */
const start = Effect.fnUntraced(function*(
  settings: Parameters<typeof sourceOf>[0],
  recordsMax = Infinity,
  lease?: Effect.Effect<void>
) {
  const monitor = openMonitor()
  const source = yield* sourceOf(settings)
  const node = yield* Layer.build(memoryNode({ genesis: source.genesis }))
  const ledger = Context.get(node, Ledger)
  let records = 0
  const applyRecord: typeof ledger.applyRecord = (record) =>
    Effect.suspend(() =>
      ++records > recordsMax
        ? Effect.fail(new StoreFailure({ message: "The disk is broken", retry: false }))
        : ledger.applyRecord(record)
    )
  const writer = Context.get(node, LedgerWriter)
  const setPrices: typeof writer.setPrices = (prices, check) =>
    Effect.andThen(lease ?? Effect.void, writer.setPrices(prices, check))
  yield* source.start({ isShared: lease !== undefined, skipStored: (all) => all }).pipe(
    Effect.provideContext(node.pipe(
      Context.add(Ledger, { ...ledger, applyRecord }),
      Context.add(LedgerWriter, { ...writer, setPrices })
    )),
    Effect.provideService(Monitor, monitor)
  )
  const check = Effect.map(monitor.health, ({ source }) => source!)
  const until = Effect.fnUntraced(function*(text: string) {
    while (!(yield* check).detail.includes(text)) yield* Effect.sleep(20)
    return yield* check
  })
  const reader = Context.get(node, LedgerReader)
  const count = Effect.map(
    reader.list("transactions", { filters: {}, limit: 1 }),
    ({ counts }) => counts.totalItems
  )
  return { check, count, reader, until }
})

describe("the source of a simulated network", () => {
  it.live("starts at the genesis block, and then applies its history", () =>
    Effect.scoped(Effect.gen(function*() {
      const { check, count, reader, until } = yield* start({
        ...network,
        transactionsMax: 1000,
        paceSeconds: 60
      })
      assert.strictEqual((yield* reader.snapshotId).version, 0)
      assert.deepStrictEqual(yield* check, {
        state: "ok",
        detail: "The history of the simulated network is being applied"
      })
      assert.strictEqual((yield* until("is live")).state, "ok")
      assert.isAtLeast(yield* count, 40)
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("waits for the lease of a shared ledger, and says so until it has it", () =>
    Effect.scoped(Effect.gen(function*() {
      const lease = yield* Deferred.make<void>()
      const { check, until } = yield* start(network, 3, Deferred.await(lease))
      yield* Effect.sleep(50)
      assert.deepStrictEqual(yield* check, {
        state: "ok",
        detail: "Waiting until this process is the writer of the ledger"
      })
      yield* Deferred.succeed(lease, undefined)
      yield* until("has stopped: The disk is broken")
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("ends at the maximum of transactions, and stays healthy", () =>
    Effect.scoped(Effect.gen(function*() {
      const { count, until } = yield* start(network)
      assert.strictEqual((yield* until("has ended")).state, "ok")
      assert.isAtLeast(yield* count, 60)
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("fails its check with the reason if the network has stopped", () =>
    Effect.scoped(Effect.gen(function*() {
      const { until } = yield* start(network, 3)
      const { state } = yield* until("The simulated network has stopped: The disk is broken")
      assert.strictEqual(state, "failing")
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("adds nothing to the genesis block if the network is empty", () =>
    Effect.scoped(Effect.gen(function*() {
      const { reader } = yield* start({ ...network, empty: true })
      yield* Effect.sleep(50)
      assert.strictEqual((yield* reader.snapshotId).version, 0)
    })))
})
