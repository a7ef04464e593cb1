import { Effect, Schedule, Semaphore } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { isConnectionLost, sqlState, storeFailure } from "../connection/mod.ts"
import { cutRemoved } from "../postings/mod.ts"
import type { WriterLease } from "./lease.ts"

/** A write: what it answers, and whether it changed anything. It sets `ledger.last_write` to `writeId` where it did. */
export type Write<A, E> = (
  writeId: string
) => Effect.Effect<
  { readonly answer: A; readonly changed: boolean },
  E | SqlError.SqlError | StoreFailure
>

/*
 * The ledger's row is locked first: what a write reads afterwards nobody changes until it ends.
 *
 * Every table that a write touches is found through an index, and the planner, which knows the tables from before the last thousands of
 * rows or not at all, is told so: on a wrong guess it would read a whole table for each block. As there is nothing to weigh, a plan
 * is made once.
 *
 * What a rollback has left in the lists is cut before anything else: see `postings/removed_rows.ts`.
 */
const lockStatement = `
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true), lists_cut
FROM ledger FOR UPDATE`
const lastWriteStatement = "SELECT last_write::text AS last_write FROM ledger FOR UPDATE"

const tries = 6

/**
 * Runs writes, one at a time, each as one transaction of the writer that the lease makes us. A write that lost its connection, or met
 * another one, runs again. Where the connection is lost while it commits, the ledger tells whether it did: it happens once or not at all.
 */
export const makeWriteTransaction = (sql: SqlClient.SqlClient, lease: WriterLease["Service"]) => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const lock = Effect.flatMap(
    sql.unsafe<{ readonly lists_cut: boolean }>(lockStatement),
    ([ledger]): Effect.Effect<void, SqlError.SqlError | StoreFailure> =>
      ledger === undefined
        ? Effect.fail(notOpened)
        : ledger.lists_cut
        ? Effect.void
        : cutRemoved(sql)
  )

  const attempt = <A, E>(
    write: Write<A, E>
  ): Effect.Effect<A, E | SqlError.SqlError | StoreFailure> =>
    Effect.suspend(() => {
      const writeId = crypto.randomUUID()
      let toCommit: { readonly answer: A } | null = null
      return lease.write(Effect.map(Effect.andThen(lock, write(writeId)), (written) => {
        if (written.changed) toCommit = written
        return written.answer
      })).pipe(Effect.catch((error) => {
        if (toCommit === null || !isSqlError(error) || !isConnectionLost(error)) {
          return Effect.fail(error)
        }
        const { answer } = toCommit
        return Effect.flatMap(
          lastWrite,
          (last) => last === writeId ? Effect.succeed(answer) : Effect.fail(error)
        )
      }))
    })

  /** Waits for a transaction that may still be committing. */
  const lastWrite = sql.unsafe<{ readonly last_write: string | null }>(lastWriteStatement).pipe(
    Effect.map(([row]) => row?.last_write ?? null),
    Effect.retry({ while: isConnectionLost, times: tries, schedule })
  )

  return <A, E>(write: Write<A, E>): Effect.Effect<A, E | StoreFailure> =>
    oneAtATime.withPermit(attempt(write)).pipe(
      Effect.retry({
        while: (error) => isSqlError(error) && passes(error),
        times: tries,
        schedule
      }),
      Effect.catch((error) => Effect.fail(isSqlError(error) ? storeFailure(error) : error))
    )
}

const schedule = Schedule.exponential("20 millis")

const isSqlError = (error: unknown): error is SqlError.SqlError =>
  error instanceof SqlError.SqlError

/** Lost, or in conflict with another transaction: the next try meets another connection or another state. */
const passes = (error: SqlError.SqlError): boolean =>
  isConnectionLost(error) || conflicts.has(sqlState(error) ?? "")
/** Serialization failure and deadlock. */
const conflicts: ReadonlySet<string> = new Set(["40001", "40P01"])

const notOpened = new StoreFailure({
  retry: false,
  message:
    "The database holds no ledger, expected one: open it with the genesis record of its network first"
})
