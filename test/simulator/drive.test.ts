import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { layer, poolLayer } from "../../adapters/memory/mod.ts"
import { driveOnce, drive, simulate, type Simulation, type SimulationStep, takePoolStep } from "../../app/simulator/mod.ts"
import type { PoolTransaction } from "../../core/domain/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"

const PACE_MS = 3000

const provideNode = ({ genesis }: Simulation) => <A, E>(effect: Effect.Effect<A, E, Ledger | LedgerReader | PoolStore>): Effect.Effect<A, E> =>
  effect.pipe(Effect.provide(Ledger.layer(genesis, keccak256)), Effect.provide(layer(genesis)), Effect.provide(poolLayer))

/** A network that has a history already, and the steps of its first live blocks. */
function liveSteps(seed: string, blocks: number): { readonly simulation: Simulation; readonly steps: ReadonlyArray<SimulationStep> } {
  const simulation = simulate({ seed, users: 40, rollBackPeriodBlocks: 12 })
  while (simulation.transactions() < 300) simulation.next()
  return { simulation, steps: Array.from({ length: blocks }, () => simulation.nextLive()).flat() }
}

const signedIn = (steps: ReadonlyArray<SimulationStep>): ReadonlyArray<PoolTransaction> =>
  steps.flatMap((step) => (step.kind === "pool" ? step.transactions : []))

describe("Driving a node", () => {
  it.effect("the prehistory is there at once, then a block arrives at each pace until the scope closes", () => {
    const simulation = simulate({ seed: "drive", users: 40, rollBackPeriodBlocks: 0 })
    return Effect.scoped(Effect.gen(function*() {
      const reader = yield* LedgerReader
      const lastBlock = Effect.map(reader.stamp, ({ ethereumBlockNum }) => ethereumBlockNum)
      const fiber = yield* drive(simulation, { ledger: yield* Ledger, pool: yield* PoolStore, transactions: 300, paceMs: PACE_MS })
      const { counts } = yield* reader.list("transactions", { filters: {}, limit: 1 })
      assert.isAtLeast(counts.totalItems, 300)
      const first = yield* lastBlock
      yield* TestClock.adjust(5 * PACE_MS)
      assert.strictEqual(yield* lastBlock, first + 5n)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(5 * PACE_MS)
      assert.strictEqual(yield* lastBlock, first + 5n)
    })).pipe(provideNode(simulation))
  })

  it.effect("what was signed is forged under its id, and every move finds its transactions in the state it names", () => {
    const simulation = simulate({ seed: "pool", users: 40, rollBackPeriodBlocks: 12 })
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      const pool = yield* PoolStore
      const reader = yield* LedgerReader
      while (simulation.transactions() < 300) yield* driveOnce(simulation, { ledger })
      let forged = 0
      for (let block = 0; block < 40; block++) {
        for (const step of simulation.nextLive()) {
          if (step.kind === "feed") yield* ledger.applyRecord(step.record)
          else assert.deepStrictEqual(yield* takePoolStep(pool, step), step.kind === "pool" ? step.transactions.map(({ id }) => id) : step.ids)
          if (step.kind !== "move" || step.to !== "fged") continue
          for (const id of step.ids) {
            const { item } = yield* reader.find("transaction", id)
            assert.strictEqual(item?.transaction.batchNum, step.batchNum)
            forged++
          }
        }
      }
      assert.isAbove(forged, 200)
    }).pipe(provideNode(simulation))
  })

  it("the pool shows every type, linked transactions, invalid ones, and some that stay", () => {
    const { steps } = liveSteps("kinds", 40)
    const signed = signedIn(steps)
    assert.deepStrictEqual([...new Set(signed.map(({ type }) => type))].sort(), ["Exit", "Transfer", "TransferToBJJ", "TransferToEthAddr"])
    assert.isTrue(signed.some(({ request }) => request !== null && Object.values(request).every((value) => value !== null)))
    assert.isTrue(steps.some((step) => step.kind === "pool" && step.authorizations.length > 0))
    const moves = new Set(steps.flatMap((step) => (step.kind === "move" ? [`${step.from} to ${step.to}`] : [])))
    assert.deepStrictEqual([...moves].sort(), ["fged to pend", "fing to fged", "fing to pend", "pend to fing", "pend to invl"])
    const moved = new Set(steps.flatMap((step) => (step.kind === "move" ? step.ids : [])))
    assert.isTrue(signed.slice(0, -60).some(({ id }) => !moved.has(id)))
  })

  it("what live steps say is the same for the same seed", () => {
    const [first, again] = [liveSteps("again", 6), liveSteps("again", 6)]
    assert.deepStrictEqual(first.steps, again.steps)
    assert.isAbove(signedIn(first.steps).length, 30)
  })
})
