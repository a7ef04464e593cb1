import { Context, Effect, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { checkHealth, type Health } from "../../../core/ports/mod.ts"
import { Database, ControlConnection, causeMessage } from "../connection/mod.ts"
import { migrate } from "./migrate.ts"

/** Tells the monitor how the database is, whether its schema is ours, and who writes the ledger. */
export const tellHealth: Effect.Effect<void, never, Database | ControlConnection | Scope.Scope> =
  Effect.gen(
    function*() {
      const database = yield* Database
      const { sql } = yield* ControlConnection
      yield* checkHealth("database", answered(database.reads))
      yield* checkHealth(
        "migrations",
        Effect.provideContext(schema, Context.make(Database, database))
      )
      yield* checkHealth("writer", writer(sql))
    }
  )

const answered = (sql: SqlClient.SqlClient): Effect.Effect<Health> =>
  Effect.match(sql.unsafe("SELECT 1"), {
    onSuccess: (): Health => ({ state: "ok", detail: "The database answers" }),
    onFailure: (error): Health => ({
      state: "failing",
      detail: `The database does not answer: ${causeMessage(error)}`
    })
  })

/** What a newer program has changed may still fit: that is a matter for a person, and no reason to turn everybody away. */
const schema: Effect.Effect<Health, never, Database> = Effect.match(migrate({ dryRun: true }), {
  onSuccess: (missing): Health =>
    missing.length === 0
      ? { state: "ok", detail: "All migrations are applied" }
      : {
        state: "failing",
        detail: `Migration ${missing[0]!.number} (${
          missing[0]!.name
        }) is not applied, expected all of them: run migrate`
      },
  onFailure: (error): Health => ({
    state: error._tag === "StoreFailure" ? "failing" : "degraded",
    detail: error.message
  })
})

/** Without a writer this process still reads and takes posts; the others would be no better off without it. */
const writer = (sql: SqlClient.SqlClient): Effect.Effect<Health> =>
  Effect.match(sql.unsafe<Row>(writerStatement), {
    onSuccess: ([row]): Health =>
      row === undefined || row.holder === null
        ? {
          state: "degraded",
          detail:
            "No process writes the ledger, expected one: start one that has a source of blocks"
        }
        : row.alive
        ? {
          state: "ok",
          detail: `${row.holder} writes the ledger since ${row.since}, epoch ${row.epoch}`
        }
        : {
          state: "degraded",
          detail:
            `${row.holder} wrote the ledger and gives no sign of life, expected one: another process takes over with its next write`
        },
    onFailure: (error: SqlError.SqlError): Health => ({
      state: "degraded",
      detail: `Nobody knows who writes the ledger: ${causeMessage(error)}`
    })
  })

interface Row {
  readonly holder: string | null
  readonly since: string | null
  readonly epoch: string
  readonly alive: boolean
}

const writerStatement = `
SELECT holder, to_char(held_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since, epoch::text AS epoch, coalesce(expires_at > clock_timestamp(), false) AS alive
FROM writer`
