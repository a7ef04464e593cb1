/*
 * Runs the laws of the pool on stores over PostgreSQL and in memory at once: the results of every
 * call are the same. To replay:
 *
 *     SEED=123 npm test -- test/sql/differential/pool.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { poolLaws } from "../../laws/mod.ts"
import { networkOf, optionsOf } from "../../properties/_networks.ts"
import { rounds } from "../../rounds.ts"
import { migratedDatabase } from "../_migrated_database.ts"
import { type Agreement, mirrored } from "./_mirrored.ts"
import { openMemoryStores, openSqlStores } from "./_stores.ts"
import { scopedDatabase } from "../../postgres/mod.ts"

const seed = process.env.SEED ?? "1"

describe(`the pool over PostgreSQL and in memory (replay: SEED=${seed} npm test -- test/sql/differential/pool.test.ts)`, () => {
  for (const law of poolLaws) {
    it.effect(`agree while ${law.name}`, () =>
      Effect.gen(function*() {
        const { genesis } = networkOf(optionsOf(seed), 0)
        const agreement: Agreement = { answers: 0 }
        yield* law.run({
          genesis,
          keccak256,
          seed,
          runs: Number(process.env.RUNS ?? rounds({ short: 1, long: 4 })),
          open: Effect.gen(function*() {
            const place = yield* scopedDatabase(migratedDatabase)
            return mirrored(
              yield* openMemoryStores(genesis),
              yield* Effect.orDie(openSqlStores(place.url, genesis)),
              agreement
            )
          })
        })
        assert.isAbove(agreement.answers, 0)
      }))
  }
})
