import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { memoryNode } from "../_memory_node.ts"
import { drive, driveOnce, type LiveNetwork, simulate } from "../../app/simulator/mod.ts"
import { openCallThread } from "../../app/threads/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { ledgerContent } from "../sources/_ledger_content.ts"

const options = { seed: "thread", users: 20, rollBackPeriodBlocks: 6, placeholderRoots: true }

const openSimulationThread = (of: typeof options) =>
  openCallThread<LiveNetwork>("_simulation_worker", of)

describe("a simulated network in a thread", () => {
  it.live("is the same network as in this thread, with its history and its live blocks", () =>
    Effect.scoped(Effect.gen(function*() {
      const run = Effect.fnUntraced(function*(simulation: Parameters<typeof driveOnce>[0]) {
        yield* Fiber.join(yield* drive(simulation, { transactions: 150, paceMs: Infinity }))
        const records: Array<FeedRecord> = []
        for (let step = 0; step < 20; step++) records.push(...yield* driveOnce(simulation))
        return { records, content: yield* ledgerContent }
      }, (effect, simulation) => {
        const { genesis } = "call" in simulation ? simulate(options) : simulation
        return Effect.scoped(Effect.provide(effect, memoryNode({ genesis })))
      })
      const inThread = yield* run(yield* openSimulationThread(options))
      assert.isTrue(inThread.records.some(({ kind }) => kind === "rollBack"))
      assert.deepStrictEqual(inThread, yield* run(simulate(options)))
    })))

  it.live("fails the calls that wait if its code throws, and interrupts them if it is closed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { call } = yield* openSimulationThread({ ...options, rollBackPeriodBlocks: 1 })
      const failed = yield* Effect.exit(call("transactionCount"))
      assert.isTrue(Exit.isFailure(failed) && Exit.hasDies(failed))
      assert.deepStrictEqual(yield* Effect.exit(call("transactionCount")), failed)

      const scope = yield* Scope.make()
      const closing = yield* Scope.provide(openSimulationThread(options), scope)
      const waiting = yield* Effect.forkChild(closing.call("transactionCount"), {
        startImmediately: true
      })
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waiting)))
    })))
})

describe("a live network with a maximum of transactions", () => {
  it.live("ends there, and adds no more blocks", () => {
    const simulation = simulate({ ...options, rollBackPeriodBlocks: 0 })
    return Effect.scoped(Effect.gen(function*() {
      const reader = yield* LedgerReader
      const fiber = yield* drive(simulation, { transactions: 100, transactionsMax: 160, paceMs: 1 })
      yield* Fiber.join(fiber)
      const { counts } = yield* reader.list("transactions", { filters: {}, limit: 1 })
      // a block adds some transactions at once
      assert.isTrue(counts.totalItems >= 160 && counts.totalItems < 260, `${counts.totalItems}`)
    })).pipe(Effect.provide(memoryNode({ genesis: simulation.genesis })))
  })
})
