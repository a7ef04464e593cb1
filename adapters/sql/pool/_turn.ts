import { PgTypes } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { PoolState } from "../../../core/domain/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { storeFailure } from "../connection/mod.ts"
import { int8 } from "./pool_values.ts"

/** What a writer finds while it is the only one: nobody else writes to the pool until its transaction ends. */
export interface Turn {
  readonly writeId: string
  /** Of this write, among all of the pool. */
  readonly number: number
  readonly counts: { readonly [State in PoolState]: number }
  readonly nextArrival: number
  readonly nextTransition: number
}

/**
 * One write in a transaction of its own, after all before it and before all after it: it holds the row of `pool` to its end. That
 * makes limits exact and arrivals the order of commits, and writers cannot wait for each other in a circle. What comes at the same
 * time in one process shares a turn (`_batch_requests.ts`).
 *
 * What is lost before its commit is done again, a few times, until some seconds have passed. Where nobody can tell whether a commit
 * took place, the next turn can: by then the other transaction has ended, and the write's row in `pool_write` is there or not.
 */
export const inTurn = <A>(
  sql: SqlClient.SqlClient,
  work: (turn: Turn) => Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, StoreFailure> =>
  Effect.suspend(() => {
    const writeId = crypto.randomUUID()
    let inDoubt: { readonly number: number; readonly answer: A } | null = null
    const once = Effect.gen(function*() {
      const turn = yield* takeTurn(sql, writeId)
      if (inDoubt !== null) {
        if (yield* isWritten(sql, inDoubt.number, writeId)) return inDoubt.answer
        if (turn.number - inDoubt.number >= WRITES_KEPT) {
          return yield* Effect.fail(forgotten(inDoubt.number))
        }
        inDoubt = null
      }
      const answer = yield* work(turn)
      inDoubt = { number: turn.number, answer }
      return answer
    })
    return once.pipe(
      sql.withTransaction,
      // by default a server may see one state throughout a transaction, and so not what was written before its turn came
      Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL READ COMMITTED"),
      retried
    )
  })

/** Tries again what may be done again, less and less often, for some twelve seconds; then the failure is the caller's. */
export const retried = <A>(
  write: Effect.Effect<A, SqlError.SqlError | StoreFailure>
): Effect.Effect<A, StoreFailure> =>
  write.pipe(
    Effect.mapError((error) => error instanceof StoreFailure ? error : storeFailure(error)),
    Effect.retry({ schedule: backoff, while: ({ retry }) => retry })
  )

/** How many writes later one that is in doubt can still be told. */
export const WRITES_KEPT = 65_536

/** For longer than a server lets a transaction stand still, whose client is gone and which nobody has told so. */
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

const takeTurn = (
  sql: SqlClient.SqlClient,
  writeId: string
): Effect.Effect<Turn, SqlError.SqlError> =>
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

/** A statement of its own, since what it reads may have been written while the turn was waited for. */
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

const forgotten = (number: number) =>
  new StoreFailure({
    message:
      `Write ${number} of the pool may or may not have taken place, and ${WRITES_KEPT} others have since then; look at what it was to change`,
    retry: false
  })
