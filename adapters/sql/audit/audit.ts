import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import type { Findings } from "../../../core/use_cases/mod.ts"
import { Database, storeFailure } from "../connection/mod.ts"
import type { DatabaseAuditOptions } from "./_audit_tables.ts"

/* An audit reads one snapshot: its statements whole tables, the ports batch by batch. */
const beginStatement = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
const settingsStatement = `
SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true), set_config('jit', 'off', true),
  set_config('work_mem', '64MB', true)`

/**
 * Checks all tables of a ledger and a pool, and adds the violations to `findings`. It takes no
 * locks, so the node may run meanwhile; it ignores later writes. Until it ends, PostgreSQL cannot
 * remove old versions of rows. Fails with `StoreFailure` if the database cannot be read; violations
 * are no failure.
 *
 * @example
 * ```ts
 * import { Effect, Layer, Redacted } from "effect"
 * import { Findings } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { auditDatabase, databaseLayer, sqlStores } from "rollup-node-api/sql"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const url = Redacted.make(process.env.DATABASE_URL!)
 * // creates an empty ledger
 * await Effect.runPromise(Effect.scoped(Layer.build(sqlStores({ genesis, url }))))
 *
 * const findings = new Findings()
 * const checks = { buildExitTrees: null, tree: null, onProgress: () => Effect.void }
 * const audit = auditDatabase({ keccak256, ...checks }, findings)
 * await Effect.runPromise(Effect.provide(audit, databaseLayer({ url })))
 * console.log(findings.report().isSound) // => true
 * ```
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

/**
 * Stores the report of an audit, as JSON, and replaces the previous one.
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { databaseLayer, lastAudit, migrate, saveAudit } from "rollup-node-api/sql"
 *
 * const url = Redacted.make(process.env.DATABASE_URL!)
 * const saving = Effect.gen(function*() {
 *   yield* migrate()
 *   yield* saveAudit(`{"isSound":true}`)
 *   return yield* lastAudit
 * })
 * const report = await Effect.runPromise(Effect.provide(saving, databaseLayer({ url })))
 * console.log(JSON.parse(report!)) // => { isSound: true }
 * ```
 */
export const saveAudit = (report: string): Effect.Effect<void, StoreFailure, Database> =>
  Effect.flatMap(Database, ({ writes }) => writes.unsafe(saveStatement, [report])).pipe(
    Effect.mapError(storeFailure),
    Effect.asVoid
  )

/**
 * Returns the report that was stored last, as JSON; null if there is none.
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { databaseLayer, lastAudit, migrate } from "rollup-node-api/sql"
 *
 * const url = Redacted.make(process.env.DATABASE_URL!)
 * const reading = Effect.provide(Effect.andThen(migrate(), lastAudit), databaseLayer({ url }))
 * console.log(await Effect.runPromise(reading)) // => null
 * ```
 */
export const lastAudit: Effect.Effect<string | null, StoreFailure, Database> = Effect.flatMap(
  Database,
  ({ reads }) => reads.unsafe<{ readonly report: string }>("SELECT report FROM audit")
).pipe(
  Effect.mapError(storeFailure),
  Effect.map(([row]) => row?.report ?? null)
)

const saveStatement = `
INSERT INTO audit (report) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET report = excluded.report, finished_at = clock_timestamp()`
