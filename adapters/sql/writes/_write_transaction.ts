import { Effect, Schedule, Semaphore } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { StoreFailure } from "../../../core/ports/mod.ts"
import {
  isConnectionLost,
  type LastWrite,
  retryOnNewConnection,
  sqlState,
  storeFailure
} from "../connection/mod.ts"
import type { LeaseTerm, WriterLease } from "./lease.ts"

/**
 * A write in the transaction of its caller. Returns its answer and whether it changed anything; if
 * it did, it has set `ledger.last_write` to `writeId`.
 */
export type Write<A, E> = (
  writeId: string
) => Effect.Effect<
  { readonly answer: A; readonly changed: boolean },
  E | SqlError.SqlError | StoreFailure
>

/*
 * A write locks the row of `ledger` first, so that no other transaction changes the rows that it
 * reads until it ends.
 *
 * Each statement of a write finds its rows through an index. The settings forbid other plans, since
 * statistics that are missing or older than the last thousands of rows could make the planner scan
 * a whole table for each block. With no choice left, one generic plan for each statement is enough.
 */
const lockStatement = `
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
  last_write::text AS last_write
FROM ledger FOR UPDATE`
const lastWriteStatement = "SELECT last_write::text AS last_write FROM ledger FOR UPDATE"

const retriesMax = 7

interface WriteTransactionOptions {
  readonly sql: SqlClient.SqlClient
  readonly lease: WriterLease["Service"]
  readonly lastWrite: LastWrite["Service"]
}

/**
 * Returns a function that runs writes one at a time, each as one transaction under the lease. A
 * write that loses its connection or conflicts with another transaction is retried. If the
 * connection is lost during the commit, `ledger.last_write` shows whether it was committed, so a
 * write happens once or not at all.
 *
 * Only one process writes during a term of the lease. If the last write of the term is missing,
 * the database lost it, and what this process has cached is wrong: no further write succeeds.
 */
export const makeWriteTransaction = ({ lastWrite, lease, sql }: WriteTransactionOptions) => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let lastEpoch = 0n
  const lock = (term: LeaseTerm) =>
    Effect.flatMap(
      sql.unsafe<{ readonly last_write: string | null }>(lockStatement),
      ([ledger]): Effect.Effect<void, SqlError.SqlError | StoreFailure> => {
        if (ledger === undefined) return Effect.fail(noLedger)
        const { epoch, lastWriteIds: ids } = term
        const isLost = ids.length > 0 && !ids.includes(ledger.last_write)
        // each term has a greater epoch than those before
        if (isLost || epoch < lastEpoch) return Effect.fail(lostWrite)
        lastEpoch = epoch
        term.lastWriteIds = [ledger.last_write]
        return Effect.void
      }
    )

  /** Waits for the lock, and so for a transaction that may still be committing. */
  const lookup = Effect.zip(
    sql.unsafe<{ last_write: string | null }>(lastWriteStatement),
    // after the wait: the process that has written since has another epoch
    sql.unsafe<{ epoch: bigint }>("SELECT epoch FROM writer")
  )

  return <A, E>(write: Write<A, E>): Effect.Effect<A, E | StoreFailure> =>
    Effect.suspend(() => {
      const writeId = crypto.randomUUID()
      let toCommit: { readonly answer: A; readonly term: LeaseTerm } | null = null
      const committed = (answer: A): A => {
        if (toCommit !== null) toCommit.term.lastWriteIds = [writeId]
        return answer
      }
      const transaction = lease.write((term) =>
        Effect.map(Effect.andThen(lock(term), write(writeId)), ({ answer, changed }) => {
          if (!changed) return answer
          toCommit = { answer, term }
          // the caller may be interrupted during the commit, and its outcome may stay unknown
          term.lastWriteIds = [...term.lastWriteIds, writeId]
          return answer
        })
      ).pipe(retryOnNewConnection)
      const attempt = Effect.suspend(() => {
        if (toCommit === null) return transaction
        // the attempt before ended during its commit
        const { answer, term: { epoch, lastWriteIds } } = toCommit
        return Effect.flatMap(lookup, ([[ledger], [writer]]) => {
          if (ledger?.last_write === writeId) return Effect.succeed(answer)
          toCommit = null
          const isReplaced = ledger !== undefined && !lastWriteIds.includes(ledger.last_write)
          return isReplaced && writer !== undefined && writer.epoch > epoch
            ? Effect.fail(outcomeUnknown)
            : transaction
        })
      })
      const retried = Effect.retry(attempt, { while: isTransient, times: retriesMax, schedule })
      // no other write runs between two attempts: it may follow this one, or overwrite it
      return oneAtATime.withPermit(Effect.map(retried, committed)).pipe(
        Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(storeFailure(error))),
        lastWrite.record
      )
    })
}

const schedule = Schedule.exponential("20 millis")

/** Whether a retry may succeed: the connection was lost, or another transaction conflicted. */
const isTransient = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (isConnectionLost(error) || conflicts.has(sqlState(error) ?? ""))
/** Serialization failure and deadlock. */
const conflicts: ReadonlySet<string> = new Set(["40001", "40P01"])

const lostWrite = new StoreFailure({
  retry: false,
  message:
    "The database has lost the last write of this process: a backup was restored, or a replica that lacked the write was promoted. Nothing was written; restart all processes that use this database"
})
const outcomeUnknown = new StoreFailure({
  retry: true,
  writerChanged: true,
  message:
    "The connection was lost during the commit, and another process has written the ledger since: the write may be stored; read the ledger before you repeat it"
})
const noLedger = new StoreFailure({
  retry: false,
  message: "The database contains no ledger: open it with a genesis record first"
})
