import { Effect } from "effect"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import { Database, storeFailure } from "../connection/mod.ts"

/** Keeps the result of an audit, as JSON, in place of the one before. */
export const keepAudit = (report: string): Effect.Effect<void, StoreFailure, Database> =>
  Effect.flatMap(Database, ({ writes }) => writes.unsafe(keepStatement, [report])).pipe(
    Effect.mapError(storeFailure),
    Effect.asVoid
  )

/** The result that was kept last; null where there is none. */
export const lastAudit: Effect.Effect<string | null, StoreFailure, Database> = Effect.flatMap(
  Database,
  ({ reads }) => reads.unsafe<{ readonly report: string }>("SELECT report FROM audit")
).pipe(
  Effect.mapError(storeFailure),
  Effect.map(([row]) => row?.report ?? null)
)

const keepStatement = `
INSERT INTO audit (report) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET report = excluded.report, finished_at = clock_timestamp()`
