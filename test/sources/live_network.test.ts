import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { drive, driveOnce, simulate, type Simulation } from "../../app/simulator/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { failingNode, type CallOutcome, realTurn } from "./_failing_node.ts"

const networkOf = (seed: string) =>
  simulate({
    seed,
    users: 30,
    transactionsPerBlock: 6,
    rollBackPeriodBlocks: 8,
    placeholderRoots: true
  })

const STEPS = 25

/** Returns the records that the network applied, and the content of ledger and pool. */
const runNetwork = Effect.fnUntraced(function*(simulation: Simulation) {
  const ledger = yield* Ledger
  while (simulation.transactionCount() < 100) {
    yield* Effect.retry(ledger.applyRecord(simulation.next()), { times: 20 })
  }
  const fiber = yield* Effect.forkChild(
    Effect.forEach(Array.from({ length: STEPS }), () => driveOnce(simulation))
  )
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust(16_000)
    yield* realTurn
  }
  const records = yield* Fiber.join(fiber)
  const reader = yield* LedgerReader
  const lists = yield* Effect.forEach(
    ["batches", "transactions", "accounts", "exits"] as const,
    (name) =>
      Effect.retry(
        Effect.map(
          reader.list(name, { filters: {}, limit: 2000 }),
          ({ counts, items }) => ({ total: counts.totalItems, items })
        ),
        { times: 20 }
      )
  )
  return { records: records.flat(), lists }
})

describe("A live network whose store fails now and then", () => {
  it.effect("is the same network: nothing is missing and nothing is there twice", () =>
    Effect.gen(function*() {
      const [quiet, shaken] = [networkOf("shaken"), networkOf("shaken")]
      let calls = 0
      const random = new SeededRandom("fates")
      const outcome = (): CallOutcome => {
        calls++
        return (["lost", "unacknowledged"] as const)[random.below(6)] ?? "answered"
      }
      const undisturbed = yield* runNetwork(quiet).pipe(
        Effect.provide(failingNode(quiet.genesis, () => "answered"))
      )
      const disturbed = yield* runNetwork(shaken).pipe(
        Effect.provide(failingNode(shaken.genesis, outcome))
      )
      assert.isAbove(calls, 300)
      assert.isTrue(undisturbed.records.some(({ kind }) => kind === "rollBack"))
      assert.deepStrictEqual(disturbed, undisturbed)
    }))

  it.effect("waits while the store is down, and continues with the next block", () => {
    const simulation = networkOf("outage")
    let gone = false
    return Effect.scoped(Effect.gen(function*() {
      const reader = yield* LedgerReader
      const lastBlock = Effect.map(reader.snapshotId, ({ ethereumBlockNum }) => ethereumBlockNum)
      const fiber = yield* drive(simulation, { transactions: 100, paceMs: 3000 })
      const before = yield* lastBlock
      gone = true
      for (let seconds = 0; seconds < 600; seconds += 10) {
        yield* TestClock.adjust(10_000)
        yield* realTurn
      }
      assert.isUndefined(fiber.pollUnsafe(), "the network has ended")
      gone = false
      assert.strictEqual(yield* lastBlock, before)
      for (let tries = 0; (yield* lastBlock) < before + 3n; tries++) {
        assert.isBelow(tries, 200, "no block has come")
        yield* TestClock.adjust(3000)
        yield* realTurn
      }
    })).pipe(Effect.provide(failingNode(simulation.genesis, () => gone ? "lost" : "answered")))
  })
})
