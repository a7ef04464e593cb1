import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import { Database, DatabaseError, storeFailure } from "../connection/mod.ts"
import { checksumOf, type Migration, migrations as all } from "./migrations.ts"

export type { Migration } from "./migrations.ts"

export interface MigrateOptions {
  /** Only tells what would be applied. */
  readonly dryRun?: boolean
  /** Those of this program by default. */
  readonly migrations?: ReadonlyArray<Migration>
}

/**
 * Brings the schema up to date: applies what is missing, each migration in one transaction and in order, and tells what that was. Any
 * number of processes may call it at once; each migration is applied by one of them. Fails, and applies nothing, where an applied
 * migration is not the one that this program knows, or is one that it does not know at all.
 */
export const migrate = (
  { dryRun = false, migrations = all }: MigrateOptions = {}
): Effect.Effect<ReadonlyArray<Migration>, DatabaseError | StoreFailure, Database> =>
  Effect.gen(function*() {
    const { migrations: sql } = yield* Database
    if (dryRun) return yield* missing(migrations, yield* applied(sql))
    yield* prepare(sql)
    const done: Array<Migration> = []
    for (;;) {
      const next = yield* applyNext(sql, migrations)
      if (next === undefined) return done
      yield* Effect.logInfo(`Migration ${next.number} (${next.name}) is applied`)
      done.push(next)
    }
  }).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error))))

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

/** Row 0 is no migration but what the others are locked by: distributed engines know row locks, and not all of them table or advisory locks. */
const lockRow = 0
const lockText = "Locked while a migration is applied"

const prepare = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    Effect.catchIf(
      sql.unsafe(`CREATE TABLE IF NOT EXISTS migration (
        number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`),
      // two that see no table at the same time both try, and one of them stumbles over a row of the catalogue
      (error) => error.reason._tag === "UniqueViolation" || error.reason._tag === "SqlSyntaxError",
      (error) => Effect.flatMap(exists(sql), (there) => there ? Effect.void : Effect.fail(error))
    ),
    sql.unsafe(
      "INSERT INTO migration (number, name, checksum) VALUES ($1, $2, '') ON CONFLICT (number) DO NOTHING",
      [lockRow, lockText]
    )
  )

const applyNext = (
  sql: SqlClient.SqlClient,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Migration | undefined, DatabaseError | SqlError.SqlError> =>
  sql.withTransaction(Effect.gen(function*() {
    yield* sql.unsafe("SELECT number FROM migration WHERE number = $1 FOR UPDATE", [lockRow])
    const [next] = yield* missing(migrations, yield* applied(sql))
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

const applied = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<Applied>, SqlError.SqlError> =>
  Effect.flatMap(exists(sql), (there) =>
    there
      ? sql.unsafe<Applied>(
        "SELECT number, name, checksum FROM migration WHERE number > $1 ORDER BY number",
        [lockRow]
      )
      : Effect.succeed([]))

/** What is to be applied, or why nothing may be. */
const missing = (
  migrations: ReadonlyArray<Migration>,
  applied: ReadonlyArray<Applied>
): Effect.Effect<ReadonlyArray<Migration>, DatabaseError> => {
  for (const { checksum, name, number } of applied) {
    const known = migrations.find((migration) => migration.number === number)
    if (known === undefined) return Effect.fail(newer(number, name, migrations.length))
    if (checksumOf(known) !== checksum) return Effect.fail(changed(number, name))
  }
  return Effect.succeed(
    migrations.filter(({ number }) => !applied.some((each) => each.number === number))
  )
}

const newer = (number: number, name: string, known: number) =>
  new DatabaseError({
    reason: "newer",
    message:
      `This program is older than the database: migration ${number} (${name}) is applied there, expected none above ${known}; use a newer program`
  })

const changed = (number: number, name: string) =>
  new DatabaseError({
    reason: "migrationChanged",
    message:
      `Migration ${number} (${name}) was applied with another text than this program has, expected the same: use the program that the database was made with, or put what is different into a new migration`
  })
