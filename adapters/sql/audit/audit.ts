import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import type { Findings } from "../../../core/use_cases/mod.ts"
import { Database, storeFailure } from "../connection/mod.ts"
import type { DatabaseAuditOptions } from "./audit_options.ts"

/*
 * All of it reads one snapshot, in pages by key; the pass over the batches holds 41 bytes for each account, the state root 32. Hash and merge joins
 * would read whole tables for each page.
 */
const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
const settle = `
SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true), set_config('jit', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

/**
 * Looks at everything that a database holds of a ledger and a pool, and notes what does not hold. It locks nothing, so the node may be in
 * service; what is written meanwhile is not looked at, and the server keeps old versions of rows until it ends.
 */
export const auditDatabase = (
  options: DatabaseAuditOptions,
  findings: Findings
): Effect.Effect<void, StoreFailure, Database> =>
  Effect.gen(function*() {
    const { migrations: sql } = yield* Database
    // loaded with the first audit: most processes never make one
    const { audit } = yield* Effect.promise(() => import("./_audit_tables.ts"))
    yield* Effect.andThen(sql.unsafe(settle), audit(sql, options, findings)).pipe(
      sql.withTransaction,
      Effect.provideService(SqlClient.BeginTransaction, begin),
      Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error)))
    )
  })
