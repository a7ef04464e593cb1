import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { simulate } from "../../../app/simulator/mod.ts"
import { l1TotalsSchema } from "../../../adapters/sql/schema/_published_fields_schema.ts"
import { emptyLedgers } from "../_empty_ledgers.ts"

const scope = Effect.runSync(Scope.make())
const openEmptyLedger = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const seed = 5

describe(`a migration of a filled database (simulation with seed ${seed})`, () => {
  it.live("adds the totals of L1 user transactions that the writer stores", () =>
    Effect.gen(function*() {
      const simulation = simulate({ seed })
      const { database: { writes }, ledger, reader } = yield* (yield* openEmptyLedger)(
        simulation.genesis
      )
      for (let i = 0; i < 60; i++) yield* ledger.applyRecord(simulation.next())
      const read = Effect.forEach([
        "SELECT number, total_queued FROM block ORDER BY number",
        "SELECT batch_num, total_l1_user_transactions, total_l1_wait_ms FROM batch ORDER BY batch_num"
      ], (text) => writes.unsafe<{ readonly [column: string]: unknown }>(text))
      const stored = yield* read
      const { state } = yield* reader.state
      const last = stored.map((rows) => rows.at(-1)!)
      assert.isAbove(Number(last[1]!.total_l1_wait_ms), 0)
      assert.strictEqual(
        Number(last[0]!.total_queued) - Number(last[1]!.total_l1_user_transactions),
        state.pendingL1Transactions
      )
      yield* writes.unsafe("ALTER TABLE block DROP COLUMN total_queued")
      yield* writes.unsafe(
        "ALTER TABLE batch DROP COLUMN total_l1_user_transactions, DROP COLUMN total_l1_wait_ms"
      )
      for (const statement of l1TotalsSchema) yield* writes.unsafe(statement)
      assert.deepStrictEqual(yield* read, stored)
    }).pipe(Effect.scoped))
})
