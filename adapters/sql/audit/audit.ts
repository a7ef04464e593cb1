import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import type { Findings } from "../../../core/use_cases/mod.ts"
import { Database, storeFailure } from "../connection/mod.ts"
import type { DatabaseAuditOptions } from "./_audit_snapshot.ts"

/*
 * An audit reads one snapshot, in pages by key. It needs 41 bytes of memory for each account during
 * the pass over the batches, and 32 for the state root. Hash and merge joins are off, since they
 * would read whole tables for each page.
 */
const beginStatement = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
const settingsStatement = `
SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true), set_config('jit', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

/**
 * Checks all tables of a ledger and a pool, and adds the violations to `findings`. It takes no
 * locks, so the node may run meanwhile; it ignores later writes. Until it ends, PostgreSQL cannot
 * remove old versions of rows. Fails with `StoreFailure` if the database cannot be read; violations
 * are no failure.
 */
export const auditDatabase = (
  options: DatabaseAuditOptions,
  findings: Findings
): Effect.Effect<void, StoreFailure, Database> =>
  Effect.gen(function*() {
    const { migrations: sql } = yield* Database
    // loaded by the first audit, since most processes never run one
    const { auditTables } = yield* Effect.promise(() => import("./_audit_tables.ts"))
    yield* Effect.andThen(sql.unsafe(settingsStatement), auditTables(sql, options, findings)).pipe(
      sql.withTransaction,
      Effect.provideService(SqlClient.BeginTransaction, beginStatement),
      Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error)))
    )
  })

/** Stores the report of an audit, as JSON, and replaces the previous one. */
export const saveAudit = (report: string): Effect.Effect<void, StoreFailure, Database> =>
  Effect.flatMap(Database, ({ writes }) => writes.unsafe(saveStatement, [report])).pipe(
    Effect.mapError(storeFailure),
    Effect.asVoid
  )

/** The report that was stored last, as JSON; null if there is none. */
export const lastAudit: Effect.Effect<string | null, StoreFailure, Database> = Effect.flatMap(
  Database,
  ({ reads }) => reads.unsafe<{ readonly report: string }>("SELECT report FROM audit")
).pipe(
  Effect.mapError(storeFailure),
  Effect.map(([row]) => row?.report ?? null)
)

const saveStatement = `
INSERT INTO audit (report) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET report = excluded.report, finished_at = clock_timestamp()`
