import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger } from "effect"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { memoryNode } from "../../app/memory_node.ts"
import { sourceOf } from "../../app/sources/mod.ts"
import { Ledger, LedgerReader, Monitor, StoreFailure } from "../../core/mod.ts"

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

/** Starts a source over stores that refuse writes after this number of records. */
const start = Effect.fnUntraced(function*(settings: typeof network, recordsMax = Infinity) {
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
  const exit = yield* source.start({ isShared: false, skipStored: (all) => all }).pipe(
    Effect.provideContext(Context.add(node, Ledger, { ...ledger, applyRecord })),
    Effect.provideService(Monitor, monitor),
    Effect.exit
  )
  return { exit, health: monitor.health, reader: Context.get(node, LedgerReader) }
})

describe("the source of a simulated network", () => {
  it.live("ends at the maximum of transactions, and stays healthy", () =>
    Effect.scoped(Effect.gen(function*() {
      const { exit, health, reader } = yield* start(network)
      assert.isTrue(Exit.isSuccess(exit))
      while (!(yield* health).source!.detail.includes("has ended")) yield* Effect.sleep(20)
      assert.strictEqual((yield* health).source!.state, "ok")
      const { counts } = yield* reader.list("transactions", { filters: {}, limit: 1 })
      assert.isAtLeast(counts.totalItems, 60)
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("fails its check with the reason if the network has stopped", () =>
    Effect.scoped(Effect.gen(function*() {
      const { exit, health } = yield* start(network, 3)
      assert.isTrue(Exit.isFailure(exit))
      const { detail, state } = (yield* health).source!
      assert.strictEqual(state, "failing")
      assert.include(detail, "The simulated network has stopped: The disk is broken")
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("adds nothing to the genesis block if the network is empty", () =>
    Effect.scoped(Effect.gen(function*() {
      const { exit, reader } = yield* start({ ...network, empty: true })
      assert.isTrue(Exit.isSuccess(exit))
      yield* Effect.sleep(50)
      assert.strictEqual((yield* reader.stamp).version, 0)
    })))
})
