import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Result } from "effect"
import { Database, databaseLayer } from "../../../adapters/sql/connection/database.ts"
import { migrate, type Migration } from "../../../adapters/sql/schema/migrate.ts"
import { migrations as ownMigrations } from "../../../adapters/sql/schema/migrations.ts"
import { openLedger } from "../../../adapters/sql/writes/open_ledger.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import {
  freshDatabase,
  type FreshDatabase,
  freshSchema,
  scopedDatabase
} from "../../postgres/mod.ts"

const first: Migration = {
  number: 1,
  name: "people",
  statements: ["CREATE TABLE person (id bigint PRIMARY KEY)", "INSERT INTO person VALUES (7)"]
}
const second: Migration = {
  number: 2,
  name: "names",
  statements: ["ALTER TABLE person ADD name text"]
}

const names = (migrations: ReadonlyArray<Migration>): ReadonlyArray<string> =>
  migrations.map(({ name }) => name)

describe("migrations", () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.remove())

  /** Runs an effect as one process does. */
  const inProcess = <A, E>(url: string, effect: Effect.Effect<A, E, Database>) =>
    Effect.provide(effect, databaseLayer({ url: Redacted.make(url), maxConnections: 4 }), {
      local: true
    })
  const empty = scopedDatabase(() => freshSchema(database.url))
  const query = (url: string, statement: string) =>
    inProcess(
      url,
      Effect.flatMap(Database, ({ writes }) =>
        writes.unsafe<{ readonly [name: string]: unknown }>(statement))
    )
  const message = (url: string, migrations: ReadonlyArray<Migration>, dryRun = false) =>
    Effect.map(
      Effect.result(inProcess(url, migrate({ migrations, dryRun }))),
      (result) => Result.isFailure(result) ? result.failure.message : "none"
    )

  it.live("are applied once, in order, and logged", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      assert.deepStrictEqual(names(yield* inProcess(url, migrate({ migrations: [first] }))), [
        "people"
      ])
      assert.deepStrictEqual(
        names(yield* inProcess(url, migrate({ migrations: [first, second] }))),
        ["names"]
      )
      assert.deepStrictEqual(
        names(yield* inProcess(url, migrate({ migrations: [first, second] }))),
        []
      )
      assert.deepStrictEqual(yield* query(url, "SELECT id, name FROM person"), [{
        id: 7n,
        name: null
      }])
    })))

  it.live("are only listed by a dry run, also if none was ever applied", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      const plan = inProcess(url, migrate({ migrations: [first, second], dryRun: true }))
      assert.deepStrictEqual(names(yield* plan), ["people", "names"])
      assert.deepStrictEqual(
        yield* query(
          url,
          "SELECT 1 AS n FROM information_schema.tables WHERE table_schema = current_schema()"
        ),
        []
      )
      yield* inProcess(url, migrate({ migrations: [first] }))
      assert.deepStrictEqual(names(yield* plan), ["names"])
    })))

  it.live("are applied once by processes that start together", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      const done = yield* Effect.all(
        Array.from({ length: 6 }, () => inProcess(url, migrate({ migrations: [first, second] }))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(names(done.flat()).toSorted(), ["names", "people"])
      assert.deepStrictEqual(yield* query(url, "SELECT id FROM person"), [{ id: 7n }])
    })))

  it.live("are applied once by processes that start together, and the ledger is opened, if the database has another isolation level by default", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* scopedDatabase(freshDatabase)
      yield* query(
        url,
        `ALTER DATABASE "${
          new URL(url).pathname.slice(1)
        }" SET default_transaction_isolation = 'repeatable read'`
      )
      const { genesis } = simulate({ seed: "isolation" })
      const opening = inProcess(url, Effect.andThen(migrate(), openLedger(genesis)))
      yield* Effect.all(Array.from({ length: 6 }, () => opening), { concurrency: "unbounded" })
    })))

  it.live("are refused if the text of an applied one has changed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      yield* inProcess(url, migrate({ migrations: [first] }))
      const changed = {
        ...first,
        statements: [...first.statements, "INSERT INTO person VALUES (8)"]
      }
      const expectedMessage =
        "Migration 1 (people) was applied with a different text: use the version of the program that applied it, or move the difference into a new migration"
      assert.strictEqual(yield* message(url, [changed, second]), expectedMessage)
      assert.strictEqual(yield* message(url, [changed, second], true), expectedMessage)
      assert.deepStrictEqual(yield* query(url, "SELECT number FROM migration ORDER BY number"), [{
        number: 0
      }, { number: 1 }])
    })))

  it.live("are refused if the database is newer than the program", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      yield* inProcess(url, migrate({ migrations: [first, second] }))
      assert.strictEqual(
        yield* message(url, [first]),
        "This program is older than the database: migration 2 (names) is applied, and this program knows migrations up to 1; use a newer program"
      )
    })))

  it.live("are refused if they begin with another schema", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      yield* inProcess(url, migrate({ migrations: [first, second] }))
      const expected =
        'The database has the schema "people" with migrations up to 2 (names), and this program expects "initial schema" with migrations up to 1: no migration leads from one to the other; load the feed again into an empty database, or use the version of the program that created this one'
      assert.strictEqual(yield* message(url, ownMigrations), expected)
      assert.strictEqual(yield* message(url, ownMigrations, true), expected)
    })))

  it.live("leave nothing behind if one fails, and those before it stay", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      const broken: Migration = {
        number: 2,
        name: "broken",
        statements: ["INSERT INTO person VALUES (8)", "INSERT INTO nowhere VALUES (1)"]
      }
      const exit = yield* Effect.exit(inProcess(url, migrate({ migrations: [first, broken] })))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(yield* query(url, "SELECT id FROM person"), [{ id: 7n }])
      assert.deepStrictEqual(
        names(yield* inProcess(url, migrate({ migrations: [first, second] }))),
        ["names"]
      )
    })))

  it.live("may take longer than any other statement", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* empty
      const slow: Migration = {
        number: 1,
        name: "slow",
        statements: ["CREATE TABLE slow AS SELECT 1 AS n FROM pg_sleep(0.5)"]
      }
      const migrated = Effect.gen(function*() {
        const { writes } = yield* Database
        assert.isTrue(Exit.isFailure(yield* Effect.exit(writes.unsafe("SELECT pg_sleep(0.5)"))))
        return yield* migrate({ migrations: [slow] })
      })
      assert.deepStrictEqual(
        names(
          yield* Effect.provide(
            migrated,
            databaseLayer({ url: Redacted.make(url), statementTimeoutMs: 100 })
          )
        ),
        ["slow"]
      )
    })))
})
