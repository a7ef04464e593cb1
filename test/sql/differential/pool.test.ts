/*
 * Runs the laws of the pool on stores over PostgreSQL and in memory at once: the results of every
 * call are the same. To replay:
 *
 *     SEED=123 npm test -- test/sql/differential/pool.test.ts
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { poolLaws } from "../../laws/mod.ts"
import { networkOf, optionsOf } from "../../properties/_networks.ts"
import { rounds } from "../../rounds.ts"
import { migratedDatabase } from "../_migrated_database.ts"
import { connected, emptyPool, executed } from "../_pool_subject.ts"
import { ledgerTables } from "../_writer_database.ts"
import { type Agreement, mirrored } from "./_mirrored.ts"
import { openMemoryStores, openSqlStores } from "./_stores.ts"
import { scopedDatabase } from "../../postgres/mod.ts"

const seed = process.env.SEED ?? "1"

/** One database for all cases, which each of them empties: a new one takes ten times as long. */
const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const openDatabase = Effect.runSync(Effect.cached(Scope.provide(
  Effect.gen(function*() {
    const { url } = yield* scopedDatabase(migratedDatabase)
    return { url, services: yield* connected(url, { maxConnections: 1 }) }
  }),
  scope
)))

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
            const { services, url } = yield* openDatabase
            yield* executed(services, `TRUNCATE ${ledgerTables.join(", ")}`)
            yield* emptyPool(services)
            return mirrored(
              yield* openMemoryStores(genesis),
              yield* Effect.orDie(openSqlStores(url, genesis)),
              agreement
            )
          })
        })
        assert.isAbove(agreement.answers, 0)
      }))
  }
})
