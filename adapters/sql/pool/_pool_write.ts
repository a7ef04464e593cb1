import { PgTypes } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { PoolState } from "../../../core/domain/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { storeFailure } from "../connection/mod.ts"
import { int8 } from "./pool_values.ts"

/**
 * The state of the pool while a transaction holds its lock: no other transaction writes to the pool
 * until it ends.
 */
export interface PoolWrite {
  readonly writeId: string
  /** Sequence number of this write among all writes of the pool. */
  readonly number: number
  readonly counts: { readonly [State in PoolState]: number }
  readonly nextArrival: number
  readonly nextTransition: number
}

/**
 * Runs one write in a transaction that locks the row of `pool` until it ends, so that writes are
 * serialized. Limits are therefore exact, arrivals follow the order of commits, and writers cannot
 * deadlock. Concurrent requests of one process share a write (`_batch_requests.ts`).
 *
 * A write that is lost before its commit is retried for some seconds. If the outcome of a commit is
 * unknown, the retry finds out once it holds the lock: by then the other transaction has ended, and
 * its row in `pool_write` exists or not.
 */
export const runPoolWrite = <A>(
  sql: SqlClient.SqlClient,
  work: (write: PoolWrite) => Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, StoreFailure> =>
  Effect.suspend(() => {
    const writeId = crypto.randomUUID()
    let inDoubt: { readonly number: number; readonly answer: A } | null = null
    const once = Effect.gen(function*() {
      const write = yield* lockPool(sql, writeId)
      if (inDoubt !== null) {
        if (yield* isWritten(sql, inDoubt.number, writeId)) return inDoubt.answer
        if (write.number - inDoubt.number >= WRITES_RETAINED) {
          return yield* Effect.fail(outcomeUnknown(inDoubt.number))
        }
        inDoubt = null
      }
      const answer = yield* work(write)
      inDoubt = { number: write.number, answer }
      return answer
    })
    return once.pipe(
      sql.withTransaction,
      // the default may be REPEATABLE READ, which would hide what was written while this one waited
      // for the lock
      Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL READ COMMITTED"),
      retryWrite
    )
  })

/** Retries a write with backoff for about twelve seconds if a retry can help; then it fails. */
export const retryWrite = <A>(
  write: Effect.Effect<A, SqlError.SqlError | StoreFailure>
): Effect.Effect<A, StoreFailure> =>
  write.pipe(
    Effect.mapError((error) => error instanceof StoreFailure ? error : storeFailure(error)),
    Effect.retry({ schedule: backoff, while: ({ retry }) => retry })
  )

/** Number of later writes during which the outcome of a write can be looked up. */
export const WRITES_RETAINED = 65_536

/**
 * Lasts longer than `idle_in_transaction_session_timeout`, after which the server ends the
 * transaction of a dead client.
 */
const backoff = Schedule.min([Schedule.exponential("20 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "12 seconds" })
)

interface PoolRow {
  readonly pend: bigint
  readonly fing: bigint
  readonly fged: bigint
  readonly invl: bigint
  readonly next_arrival: bigint
  readonly next_transition: bigint
  readonly next_write: bigint
}

const lockPool = (
  sql: SqlClient.SqlClient,
  writeId: string
): Effect.Effect<PoolWrite, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<PoolRow>(
      "SELECT pend, fing, fged, invl, next_arrival, next_transition, next_write FROM pool FOR UPDATE"
    ),
    ([row]) => ({
      writeId,
      number: Number(row!.next_write),
      counts: {
        pend: Number(row!.pend),
        fing: Number(row!.fing),
        fged: Number(row!.fged),
        invl: Number(row!.invl)
      },
      nextArrival: Number(row!.next_arrival),
      nextTransition: Number(row!.next_transition)
    })
  )

/**
 * Returns whether a write was committed. It is a statement of its own, to see what was written
 * while `lockPool` waited.
 */
const isWritten = (
  sql: SqlClient.SqlClient,
  number: number,
  writeId: string
): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe("SELECT 1 FROM pool_write WHERE number = $1 AND write_id = $2", [
      int8(number),
      PgTypes.uuid(writeId)
    ]),
    (rows) => rows.length > 0
  )

const outcomeUnknown = (number: number) =>
  new StoreFailure({
    message:
      `Write ${number} of the pool may or may not have taken place, and ${WRITES_RETAINED} others have since then; look at what it was to change`,
    retry: false
  })
