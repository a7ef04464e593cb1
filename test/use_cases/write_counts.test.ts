/* The metrics of writes to a ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import { LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { invariantNames, Ledger } from "../../core/use_cases/mod.ts"
import { openWatching } from "../_watching.ts"
import { block101, block102, blockOf, headOf } from "./_chain.ts"
import { genesis } from "./_network.ts"

describe("a ledger counts", () => {
  const { above0, layer: watching, samples } = openWatching()

  it.effect("writes by outcome, and refusals by invariant", () => {
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      assert.deepStrictEqual([
        Object.values(yield* samples("rollup_ledger_writes_total")),
        Object.values(yield* samples("rollup_ledger_violations_total"))
      ], [Array(16).fill(0), invariantNames.map(() => 0)])
      for (const block of [block101, block102, block102]) yield* ledger.applyBlock(block)
      for (const block of [blockOf(104n), blockOf(105n), { ...blockOf(103n), timestampMs: 1 }]) {
        yield* Effect.flip(ledger.applyBlock(block))
      }
      yield* ledger.setPrices([{ tokenId: 1, priceUSD: 4, timeMs: 5 }])
      yield* Effect.flip(ledger.setPrices([{ tokenId: 9, priceUSD: 4, timeMs: 5 }]))
      yield* ledger.rollBack(101n)
      yield* ledger.rollBack(101n)
      yield* ledger.setHead(headOf(101n))
      yield* Effect.flip(ledger.setHead(headOf(100n)))
      assert.deepStrictEqual(yield* above0("rollup_ledger_writes_total"), {
        "block applied": 2,
        "block held": 1,
        "block violation": 3,
        "head applied": 1,
        "head violation": 1,
        "prices applied": 1,
        "prices violation": 1,
        "rollBack applied": 2
      })
      assert.deepStrictEqual(yield* above0("rollup_ledger_violations_total"), {
        "block-number": 2,
        timestamp: 1,
        "token-exists": 1,
        "head-number": 1
      })
    }).pipe(
      Effect.provide(
        Ledger.layer(genesis, keccak256).pipe(
          Layer.provide(layer(genesis)),
          Layer.provide(watching)
        )
      )
    )
  })

  it.effect("writes that failed in the store, and those that ended otherwise", () => {
    const gone = Layer.mock(LedgerWriter, {
      apply: () => Effect.fail(new StoreFailure({ message: "gone", retry: true })),
      rollBack: () => Effect.die("gone")
    })
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.flip(ledger.applyBlock(block101))
      yield* Effect.exit(ledger.rollBack(100n))
      assert.deepStrictEqual(yield* above0("rollup_ledger_writes_total"), {
        "block failed": 1,
        "rollBack failed": 1
      })
    }).pipe(
      Effect.provide(
        Ledger.layer(genesis, keccak256).pipe(Layer.provide(gone), Layer.provide(watching))
      )
    )
  })
})
