import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { layer, poolLayer } from "../../adapters/memory/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { guardStores } from "../../app/stores/guarded_stores.ts"
import { watchHeap } from "../../app/process/heap_watch.ts"
import { LedgerWriter, Monitor, PoolStore } from "../../core/ports/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { authorizationOf, idOf, ownersOf, poolTransactionOf } from "../laws/pool/_pool_rows.ts"
import { genesis } from "../use_cases/_network.ts"

/** Keeps more and more memory until a full garbage collection was measured. */
const untilMeasured = (
  usedBytes: () => number,
  before = usedBytes(),
  kept: Array<Array<number>> = []
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (usedBytes() !== before) return Effect.void
    kept.push(Array.from({ length: 1e6 }, () => 0))
    return Effect.andThen(Effect.sleep(1), untilMeasured(usedBytes, before, kept))
  })

const authorization = authorizationOf(1)

const openGuarded = (bytesMax: number | undefined) =>
  Effect.gen(function*() {
    const watch = yield* watchHeap(bytesMax)
    const stores = yield* Layer.build(
      guardStores(Layer.merge(layer(genesis), poolLayer), watch.refuseIfFull)
    )
    yield* untilMeasured(watch.usedBytes)
    return {
      watch,
      pool: Context.get(stores, PoolStore),
      writer: Context.get(stores, LedgerWriter)
    }
  })

describe("the watch of the heap", () => {
  it.live(
    "refuses writes beyond its limit, but no reads and rollbacks, and reports it",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const monitor = openMonitor()
        const { pool, watch, writer } = yield* Effect.provideService(
          openGuarded(1_000_000),
          Monitor,
          monitor
        )
        yield* watch.full
        yield* untilMeasured(watch.usedBytes)
        yield* watch.exhausted
        const failure = yield* Effect.flip(pool.addAuthorization(authorization))
        assert.isTrue(failure.retry)
        assert.strictEqual(failure.reason, "memory")
        assert.match(failure.message, /^The heap is full: \d+ of 1 MiB are in use/u)
        assert.isNull(yield* pool.authorization(authorization.address))
        const replacing = pool.replaceTransaction(
          { id: idOf(1), arrival: null },
          poolTransactionOf(2, new SeededRandom("full heap"), 0),
          ownersOf(1),
          { pendingMax: 1, pendingPerAccountMax: 1 }
        )
        assert.strictEqual((yield* Effect.flip(replacing)).reason, "memory")
        yield* writer.rollBack(genesis.block.number, () => Result.void)
        const { memory } = yield* monitor.health
        assert.strictEqual(memory!.state, "degraded")
        assert.match(
          memory!.detail,
          /writes are refused: start with --heap-bytes-max=1500000 or/u
        )
      })),
    60_000
  )

  it.live(
    "is degraded from 85 % of its limit on, and refuses nothing before 92 %",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const monitor = openMonitor()
        const first = yield* openGuarded(undefined)
        const { pool, watch } = yield* Effect.provideService(
          openGuarded(Math.round(first.watch.usedBytes() / 0.885)),
          Monitor,
          monitor
        )
        const share = watch.usedBytes() / watch.limitBytes
        const { memory } = yield* monitor.health
        assert.strictEqual(memory!.state, share < 0.85 ? "ok" : "degraded", memory!.detail)
        const isAdded = Effect.result(pool.addAuthorization(authorization))
        assert.strictEqual((yield* isAdded)._tag, share < 0.92 ? "Success" : "Failure")
      })),
    60_000
  )

  it.live("advises to raise the limit that is reached, that of V8 by what it reserves too", () =>
    Effect.scoped(Effect.gen(function*() {
      const [set, ofV8] = [yield* watchHeap(1_000_000), yield* watchHeap(undefined)]
      assert.strictEqual(set.moreHeap(2e6), "start with --heap-bytes-max=2000000 or more")
      assert.strictEqual(
        ofV8.moreHeap(2 ** 50),
        `start with NODE_OPTIONS=--max-old-space-size=${2 ** 30 + 32} or more`
      )
    })))

  it.live("refuses nothing below its limit", () =>
    Effect.scoped(Effect.gen(function*() {
      const { pool, watch } = yield* openGuarded(undefined)
      assert.isBelow(watch.usedBytes(), 0.85 * watch.limitBytes)
      assert.isTrue((yield* pool.addAuthorization(authorization)).added)
    })), 60_000)
})
