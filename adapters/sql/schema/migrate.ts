import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import { Database, DatabaseError, storeFailure } from "../connection/mod.ts"
import { checksumOf, type Migration, migrations as all } from "./migrations.ts"

export type { Migration } from "./migrations.ts"

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Only returns the missing migrations and applies nothing; false by default. */
  readonly dryRun?: boolean
  /** The migrations of this program by default. */
  readonly migrations?: ReadonlyArray<Migration>
}

/**
 * Updates the schema: applies the missing migrations in order, each in a transaction of its own,
 * and returns them. Any number of processes may call it at the same time; each migration is applied
 * once. Fails with a `DatabaseError`, and applies nothing, if an applied migration is unknown to
 * this program ("newer"), or has another text or the whole schema another
 * origin ("migrationChanged").
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { databaseLayer, migrate } from "rollup-node-api/sql"
 *
 * const url = Redacted.make(process.env.DATABASE_URL!)
 * const update = Effect.gen(function*() {
 *   const missing = yield* migrate({ dryRun: true })
 *   const applied = yield* migrate()
 *   return [applied.length === missing.length, (yield* migrate()).length]
 * })
 * const result = await Effect.runPromise(Effect.provide(update, databaseLayer({ url })))
 * console.log(result) // => [ true, 0 ]
 * ```
 */
export const migrate = (
  { dryRun = false, migrations = all }: MigrateOptions = {}
): Effect.Effect<ReadonlyArray<Migration>, DatabaseError | StoreFailure, Database> =>
  Effect.gen(function*() {
    const { migrations: sql } = yield* Database
    if (dryRun) return yield* missingMigrations(migrations, yield* appliedMigrations(sql))
    yield* prepare(sql)
    const added: Array<Migration> = []
    for (;;) {
      const next = yield* applyNext(sql, migrations)
      if (next === undefined) return added
      yield* Effect.logInfo(`Migration ${next.number} (${next.name}) is applied`)
      added.push(next)
    }
  }).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error))))

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

/**
 * Row 0 is not a migration: it is locked while a migration is applied. Distributed engines support
 * row locks, but not all of them support table or advisory locks.
 */
const lockRow = 0
const lockText = "Locked while a migration is applied"

const prepare = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    Effect.catchIf(
      sql.unsafe(`CREATE TABLE IF NOT EXISTS migration (
        number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`),
      // if two processes create the table at the same time, one fails with a unique violation in
      // the system catalog
      (error) => error.reason._tag === "UniqueViolation" || error.reason._tag === "SqlSyntaxError",
      (error) =>
        Effect.flatMap(exists(sql), (isCreated) => isCreated ? Effect.void : Effect.fail(error))
    ),
    sql.unsafe(
      "INSERT INTO migration (number, name, checksum) VALUES ($1, $2, '') ON CONFLICT (number) DO NOTHING",
      [lockRow, lockText]
    )
  )

const applyNext = (sql: SqlClient.SqlClient, migrations: ReadonlyArray<Migration>) =>
  sql.withTransaction(Effect.gen(function*() {
    yield* sql.unsafe("SELECT number FROM migration WHERE number = $1 FOR UPDATE", [lockRow])
    const [next] = yield* missingMigrations(migrations, yield* appliedMigrations(sql))
    if (next === undefined) return undefined
    for (const statement of next.statements) yield* sql.unsafe(statement)
    yield* sql.unsafe("INSERT INTO migration (number, name, checksum) VALUES ($1, $2, $3)", [
      next.number,
      next.name,
      checksumOf(next)
    ])
    return next
  }))

const exists = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<{ there: boolean }>("SELECT to_regclass('migration') IS NOT NULL AS there"),
    ([row]) => row?.there === true
  )

/** Returns the applied migrations, in their order. */
export const appliedMigrations = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<Applied>, SqlError.SqlError> =>
  Effect.flatMap(exists(sql), (isCreated) =>
    isCreated
      ? sql.unsafe<Applied>(
        "SELECT number, name, checksum FROM migration WHERE number > $1 ORDER BY number",
        [lockRow]
      )
      : Effect.succeed([]))

/** Returns the migrations to apply; fails if an applied one is unknown or has another text. */
export const missingMigrations = (
  migrations: ReadonlyArray<Migration>,
  applied: ReadonlyArray<Applied>
): Effect.Effect<ReadonlyArray<Migration>, DatabaseError> => {
  const [first] = applied
  const last = applied.at(-1)
  if (first !== undefined && last !== undefined && first.name !== migrations[0]!.name) {
    return Effect.fail(otherSchema(first, last, migrations))
  }
  for (const { checksum, name, number } of applied) {
    const known = migrations.find((migration) => migration.number === number)
    if (known === undefined) return Effect.fail(newer(number, name, migrations.length))
    if (checksumOf(known) !== checksum) return Effect.fail(changed(number, name))
  }
  return Effect.succeed(
    migrations.filter(({ number }) => !applied.some((each) => each.number === number))
  )
}

const otherSchema = (
  first: Applied,
  last: Applied,
  migrations: ReadonlyArray<Migration>
) =>
  new DatabaseError({
    reason: "migrationChanged",
    message:
      `The database has the schema "${first.name}" with migrations up to ${last.number} (${last.name}), and this program expects "${
        migrations[0]!.name
      }" with migrations up to ${migrations.length}: no migration leads from one to the other; load the feed again into an empty database, or use the version of the program that created this one`
  })

const newer = (number: number, name: string, known: number) =>
  new DatabaseError({
    reason: "newer",
    message:
      `This program is older than the database: migration ${number} (${name}) is applied, and this program knows migrations up to ${known}; use a newer program`
  })

const changed = (number: number, name: string) =>
  new DatabaseError({
    reason: "migrationChanged",
    message:
      `Migration ${number} (${name}) was applied with a different text: use the version of the program that applied it, or move the difference into a new migration`
  })
