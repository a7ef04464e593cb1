import { Context, Effect, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { checkHealth, type Health } from "../../../core/ports/mod.ts"
import { Database, ControlConnection, causeMessage, LastWrite } from "../connection/mod.ts"
import { migrate } from "./migrate.ts"

/**
 * Registers the health checks of the database: whether it answers, whether its schema is current,
 * whether a process holds the lease to write the ledger, and whether the last write of this process
 * succeeded.
 */
export const databaseHealth: Effect.Effect<
  void,
  never,
  Database | ControlConnection | LastWrite | Scope.Scope
> = Effect.gen(
  function*() {
    const database = yield* Database
    const { sql } = yield* ControlConnection
    yield* checkHealth("database", connection(database.reads))
    yield* checkHealth(
      "migrations",
      Effect.provideContext(schema, Context.make(Database, database))
    )
    yield* checkHealth("writer", writer(sql))
    yield* checkHealth("writes", (yield* LastWrite).health)
  }
)

const connection = (sql: SqlClient.SqlClient): Effect.Effect<Health> =>
  Effect.match(sql.unsafe("SELECT 1"), {
    onSuccess: (): Health => ({ state: "ok", detail: "The database answers" }),
    onFailure: (error): Health => ({
      state: "failing",
      detail: `The database does not answer: ${causeMessage(error)}`
    })
  })

/**
 * A schema of a newer program is only "degraded": it may still fit, so the process keeps serving
 * and an operator decides.
 */
const schema: Effect.Effect<Health, never, Database> = Effect.match(migrate({ dryRun: true }), {
  onSuccess: (missing): Health =>
    missing.length === 0
      ? { state: "ok", detail: "All migrations are applied" }
      : {
        state: "failing",
        detail: `Migration ${missing[0]!.number} (${missing[0]!.name}) is not applied: run migrate`
      },
  onFailure: (error): Health => ({
    state: error._tag === "StoreFailure" ? "failing" : "degraded",
    detail: error.message
  })
})

/**
 * A missing writer is only "degraded": this process still serves reads and accepts posts, as every
 * other process does.
 */
const writer = (sql: SqlClient.SqlClient): Effect.Effect<Health> =>
  Effect.match(sql.unsafe<Row>(writerStatement), {
    onSuccess: ([row]): Health =>
      row === undefined || row.holder === null
        ? {
          state: "degraded",
          detail: "No process writes the ledger: start a process with a source of blocks"
        }
        : row.alive
        ? {
          state: "ok",
          detail: `${row.holder} writes the ledger since ${row.since}, epoch ${row.epoch}`
        }
        : {
          state: "degraded",
          detail:
            `${row.holder} wrote the ledger and sends no heartbeat: another process takes over with its next write`
        },
    onFailure: (error: SqlError.SqlError): Health => ({
      state: "degraded",
      detail: `The writer of the ledger is unknown: ${causeMessage(error)}`
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
