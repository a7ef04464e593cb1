import { Clock, Context, Effect } from "effect"
import { SqlError } from "effect/sql"
import { type Health, StoreFailure } from "../../../core/ports/mod.ts"
import { isReadOnly } from "./failure.ts"

/**
 * Whether the last write of this process succeeded. A database can answer reads while no write
 * succeeds: it is read-only, or a tablespace is full.
 */
export class LastWrite extends Context.Service<LastWrite, {
  /** Runs a write of the ledger or of the pool, and records whether the database failed. */
  readonly record: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * `degraded` while the last write has failed. Not `failing`: the process serves reads, and other
   * processes of the same database would fail in the same way.
   */
  readonly health: Effect.Effect<Health>
}>()("rollup/sql/LastWrite") {}

/**
 * Makes the record of a process that has not written yet.
 *
 * @param onWritable is called if a write succeeds after one that failed because the server is
 *   read-only
 */
export const makeLastWrite = (onWritable: () => void): LastWrite["Service"] => {
  let last: LastFailure | "none" | "succeeded" = "none"
  return {
    record: (write) =>
      write.pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            if (typeof last !== "string" && last.isReadOnly) onWritable()
            last = "succeeded"
          })
        ),
        Effect.tapError((error) =>
          isOfDatabase(error)
            ? Effect.map(Clock.currentTimeMillis, (atMs) => void (last = failureOf(error, atMs)))
            : Effect.void
        )
      ),
    health: Effect.sync(() =>
      last === "none"
        ? { state: "ok", detail: "This process has not written yet" }
        : last === "succeeded"
        ? { state: "ok", detail: "The last write succeeded" }
        : { state: "degraded", detail: last.detail }
    )
  }
}

interface LastFailure {
  readonly detail: string
  readonly isReadOnly: boolean
}

const failureOf = ({ cause, message }: StoreFailure, atMs: number): LastFailure => ({
  detail: `The last write failed at ${new Date(atMs).toISOString()}: ${message}`,
  isReadOnly: SqlError.isSqlError(cause) && isReadOnly(cause)
})

/** Whether a write failed because of the database: not if another process is the writer. */
const isOfDatabase = (error: unknown): error is StoreFailure =>
  error instanceof StoreFailure && (error.cause !== undefined || !error.retry)
