import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { lastRowSchema } from "../../../adapters/sql/schema/_last_row_schema.ts"
import { ledgerSchema } from "../../../adapters/sql/schema/_ledger_schema.ts"
import { sideSchema } from "../../../adapters/sql/schema/_side_schema.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { emptyLedgers } from "../_empty_ledgers.ts"
import { fillLedger } from "./_large_ledger.ts"

const scope = Effect.runSync(Scope.make())
const openEmptyLedger = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const postings =
  "SELECT encode(key, 'hex') AS key, first_item, first_ordinal, items::text, filed, is_last FROM posting ORDER BY posting.key, first_item"

/** Puts the lists back into the first form of their table. */
const undoLastRows = [
  "CREATE TEMPORARY TABLE posting_rows AS SELECT key, first_item, first_ordinal, items, filed FROM posting",
  "DROP TABLE posting",
  ...ledgerSchema.filter((statement) => statement.startsWith("CREATE TABLE posting ")),
  "INSERT INTO posting SELECT * FROM posting_rows"
]

describe("the migrations of posting lists", () => {
  it.live("build the lists that the writer would have written", () =>
    Effect.gen(function*() {
      const { genesis } = simulate({ seed: 1 })
      const { database: { writes } } = yield* (yield* openEmptyLedger)(genesis)
      yield* fillLedger(writes)
      const stored = yield* writes.unsafe<{ readonly key: string }>(postings)
      yield* writes.withTransaction(Effect.gen(function*() {
        for (const statement of undoLastRows) yield* writes.unsafe(statement)
        for (const prefix of ["5469", "5461", "546b"]) {
          const ofPrefix = stored.filter(({ key }) => key.startsWith(prefix))
          for (const side of ["73", "72", "62"]) {
            assert.isTrue(ofPrefix.some(({ key }) => key.startsWith(prefix + side)), prefix + side)
          }
          // keys of both sides, as the migration of lists by side finds them
          yield* writes.unsafe(
            `DELETE FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x${prefix}'::bytea`
          )
          yield* writes.unsafe(
            `INSERT INTO posting VALUES ('\\x${prefix}0000000000000100'::bytea, 7, 0, '{7}', 0)`
          )
        }
        for (const statement of [...sideSchema, ...lastRowSchema]) yield* writes.unsafe(statement)
      }))
      assert.deepStrictEqual(yield* writes.unsafe(postings), stored)
    }).pipe(Effect.scoped))
})
