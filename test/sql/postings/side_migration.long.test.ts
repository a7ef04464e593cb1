import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { sideSchema } from "../../../adapters/sql/schema/_side_schema.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { emptyLedgers } from "../_empty_ledgers.ts"
import { fillLedger } from "./_large_ledger.ts"

const scope = Effect.runSync(Scope.make())
const openEmptyLedger = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const postings =
  "SELECT encode(key, 'hex') AS key, first_item, first_ordinal, items::text, filed FROM posting ORDER BY posting.key, first_item"

describe("the migration of lists of transactions by side", () => {
  it.live("builds the lists that the writer would have written", () =>
    Effect.gen(function*() {
      const { genesis } = simulate({ seed: 1 })
      const { database: { writes } } = yield* (yield* openEmptyLedger)(genesis)
      yield* fillLedger(writes)
      const stored = yield* writes.unsafe<{ readonly key: string }>(postings)
      for (const prefix of ["5469", "5461", "546b"]) {
        const ofPrefix = stored.filter(({ key }) => key.startsWith(prefix))
        for (const side of ["73", "72", "62"]) {
          assert.isTrue(ofPrefix.some(({ key }) => key.startsWith(prefix + side)), prefix + side)
        }
        // keys of both sides, as the migration finds them
        yield* writes.unsafe(
          `DELETE FROM posting WHERE substring(key FROM 1 FOR 2) = '\\x${prefix}'::bytea`
        )
        yield* writes.unsafe(
          `INSERT INTO posting VALUES ('\\x${prefix}0000000000000100'::bytea, 7, 0, '{7}', 0)`
        )
      }
      for (const statement of sideSchema) yield* writes.unsafe(statement)
      assert.deepStrictEqual(yield* writes.unsafe(postings), stored)
    }).pipe(Effect.scoped))
})
