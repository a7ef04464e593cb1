import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { memoryNode } from "../../app/memory_node.ts"
import { drive, driveOnce, type LiveNode, simulate, type Simulation } from "../../app/simulator/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader, StoreFailure } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"

/** When a call fails: before the store does anything, after it has done it, or not at all. */
type Fate = "lost" | "unheard" | "answered"

const failure = Effect.fail(new StoreFailure({ message: "The database is gone", retry: true }))

const fated = <A, E, R>(call: Effect.Effect<A, E, R>, fate: () => Fate): Effect.Effect<A, E | StoreFailure, R> =>
  Effect.suspend((): Effect.Effect<A, E | StoreFailure, R> => {
    const drawn = fate()
    return drawn === "lost" ? failure : drawn === "unheard" ? Effect.andThen(call, failure) : call
  })

/** A service of which every effect may fail. */
const fatedService = <Service extends object>(service: Service, fate: () => Fate): Service =>
  Object.fromEntries(Object.entries(service).map(([name, member]) => [
    name,
    Effect.isEffect(member) ? fated(member, fate) : (...args: ReadonlyArray<unknown>) => fated((member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args), fate)
  ])) as Service

/** A node in memory whose store fails as told. */
const failingNode = (genesis: GenesisFeed, fate: () => Fate): Layer.Layer<LiveNode> =>
  Layer.effectContext(Effect.map(Layer.build(memoryNode({ genesis })), (node) =>
    Context.make(Ledger, fatedService(Context.get(node, Ledger), fate)).pipe(
      Context.add(Pool, fatedService(Context.get(node, Pool), fate)),
      Context.add(Submission, fatedService(Context.get(node, Submission), fate)),
      Context.add(LedgerReader, fatedService(Context.get(node, LedgerReader), fate))
    )))

/** 32 bits at a time, the same ones for the same seed. */
const random = (seed: string) => {
  let state = Array.from(seed).reduce((hash, letter) => Math.imul(hash, 31) + letter.codePointAt(0)!, 7)
  return () => {
    state = Math.imul(state, 1664525) + 1013904223
    return (state >>> 0) >>> 8
  }
}

const networkOf = (seed: string) => simulate({ seed, users: 30, transactionsPerBlock: 6, rollBackPeriodBlocks: 8, standInRoots: true })

/** Signatures are verified by code that is loaded with the first one, which no clock can hurry. */
const realTurn = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))

const STEPS = 25

/** What the network told the ledger, and what the ledger and the pool then hold. */
const lived = Effect.fnUntraced(function*(simulation: Simulation) {
  const ledger = yield* Ledger
  while (simulation.transactions() < 100) yield* Effect.retry(ledger.applyRecord(simulation.next()), { times: 20 })
  const fiber = yield* Effect.forkChild(Effect.forEach(Array.from({ length: STEPS }), () => driveOnce(simulation)))
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust(16_000)
    yield* realTurn
  }
  const records = yield* Fiber.join(fiber)
  const reader = yield* LedgerReader
  const lists = yield* Effect.forEach(["batches", "transactions", "accounts", "exits"] as const, (name) =>
    Effect.retry(Effect.map(reader.list(name, { filters: {}, limit: 2000 }), ({ counts, items }) => ({ total: counts.totalItems, items })), { times: 20 }))
  return { records: records.flat(), lists }
})

describe("A live network whose store fails now and then", () => {
  it.effect("is the same network: nothing is missing and nothing is there twice", () => Effect.gen(function*() {
    const [quiet, shaken] = [networkOf("shaken"), networkOf("shaken")]
    let calls = 0
    const dice = random("fates")
    const fate = (): Fate => {
      calls++
      return (["lost", "unheard", "answered", "answered", "answered", "answered"] as const)[dice() % 6]!
    }
    const undisturbed = yield* lived(quiet).pipe(Effect.provide(failingNode(quiet.genesis, () => "answered")))
    const disturbed = yield* lived(shaken).pipe(Effect.provide(failingNode(shaken.genesis, fate)))
    assert.isAbove(calls, 300)
    assert.isTrue(undisturbed.records.some(({ kind }) => kind === "rollBack"))
    assert.deepStrictEqual(disturbed, undisturbed)
  }))

  it.effect("waits while nothing answers, and goes on with the next block", () => {
    const simulation = networkOf("outage")
    let gone = false
    return Effect.scoped(Effect.gen(function*() {
      const reader = yield* LedgerReader
      const lastBlock = Effect.map(reader.stamp, ({ ethereumBlockNum }) => ethereumBlockNum)
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
