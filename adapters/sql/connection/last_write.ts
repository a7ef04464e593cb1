import { Clock, Context, Effect } from "effect"
import { SqlError } from "effect/sql"
import { type Health, StoreFailure } from "../../../core/ports/mod.ts"
import { cannotWrite, isReadOnly } from "./failure.ts"

/**
 * Whether the last write of this process succeeded. A database can answer reads while no write
 * succeeds: it is read-only, or a tablespace is full.
 */
export class LastWrite extends Context.Service<LastWrite, {
  /** Runs a write of the ledger or of the pool, and records whether the database failed. */
  readonly record: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Forgets a failure, except a lack of room: the database has executed an update of no row. */
  readonly recordOtherWriter: Effect.Effect<void>
  /**
   * `degraded` while the last write has failed. Not `failing`: the process serves reads, and other
   * processes of the same database would fail in the same way.
   */
  readonly health: Effect.Effect<Health>
}>()("rollup/sql/LastWrite") {}

/**
 * Makes the record of a process that has not written yet.
 *
 * @param onWritable is called if the server writes again after it was read-only
 */
export const makeLastWrite = (onWritable: () => void): LastWrite["Service"] => {
  let [cause, detail]: [unknown, string] = [null, "This process has not written yet"]
  const succeed = (text: string): void => {
    if (SqlError.isSqlError(cause) && isReadOnly(cause)) onWritable()
    cause = null
    detail = text
  }
  const fail = (error: StoreFailure, atMs: number): void => {
    cause = error.cause
    detail = `The last write failed at ${new Date(atMs).toISOString()}: ${error.message}`
  }
  return {
    record: (write) =>
      write.pipe(
        Effect.tap(() => Effect.sync(() => succeed("The last write succeeded"))),
        Effect.tapError((error) =>
          isOfDatabase(error)
            ? Effect.map(Clock.currentTimeMillis, (atMs) => fail(error, atMs))
            : Effect.void
        )
      ),
    recordOtherWriter: Effect.sync(() => {
      const isOver = SqlError.isSqlError(cause) && (isReadOnly(cause) || !cannotWrite(cause))
      if (isOver) succeed("Another process writes the ledger")
    }),
    health: Effect.sync(() => ({ state: cause === null ? "ok" : "degraded", detail }))
  }
}

/** Whether a write failed because of the database: not if another process is the writer. */
const isOfDatabase = (error: unknown): error is StoreFailure =>
  error instanceof StoreFailure && (error.cause !== undefined || !error.retry)
