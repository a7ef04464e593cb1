import { Context, Effect, Layer, Schedule, type Scope, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { StoreFailure, WriteSession } from "../../core/ports/mod.ts"
import { storeFailure } from "./_failure.ts"
import { Signals } from "./_signals.ts"
import { Database } from "./database.ts"

/*
 * One process writes the ledger at a time, and the database sees to it. The row of `writer` says who, and until when without a sign of
 * life; only the clock of the database counts. Each new holder has a greater epoch, and every write transaction begins by locking the
 * row with its epoch: who lost the lease cannot commit, however long it slept.
 *
 * The locks: a write transaction holds a key share, with which the sign of life (an update of no key) gets along, so that a long write does
 * not look like death; taking over asks for the whole row and so waits until no transaction of the holder before is open. One that
 * a frozen process left open is ended by `idle_in_transaction_session_timeout`. A row lock rather than an advisory one, since distributed
 * engines know row locks, and the row tells who holds it.
 */

export interface LeaseOptions {
  /** How long a writer that gives no sign of life keeps the others out; 10 s by default. */
  readonly termMs?: number
  /** How often it gives one; 2 s by default. */
  readonly beatMs?: number
  /** Whether a write waits for the lease while another process holds it, to take over when that one ends; false by default: the write fails. */
  readonly waits?: boolean
  /** What others are told; the process and its machine by default. */
  readonly holder?: string
}

/** The right to write the ledger. It is taken with the first write and given back when the layer closes. */
export class WriterLease extends Context.Service<WriterLease, {
  /**
   * Runs a write as one transaction on `Database.writes` that commits only while this process is the writer. Fails, and nothing has
   * happened, where another one is; and once in each `WriteSession` where another one was since its last write.
   */
  readonly write: <A, E, R>(
    transaction: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError | StoreFailure, R>
}>()("rollup/sql/WriterLease") {}

export const leaseLayer = (
  options: LeaseOptions = {}
): Layer.Layer<WriterLease, never, Database | Signals> =>
  Layer.effect(
    WriterLease,
    Effect.gen(function*() {
      const { writes } = yield* Database
      const { sql } = yield* Signals
      const lease = yield* makeLease(sql, options)
      return {
        write: (transaction) =>
          lease.held.pipe(
            Effect.tap(lease.inSession),
            Effect.flatMap((epoch) =>
              writes.withTransaction(Effect.andThen(fence(writes, epoch, lease.lost), transaction))
            )
          )
      }
    })
  )

/** How often who waits for the lease asks, at most a tenth of its own term. */
const retryMs = 500
/** A release that cannot be said soon is not worth waiting for: the term ends by itself. */
const releaseMs = 2000

interface HeldLease {
  /** The epoch under which this process writes. */
  readonly held: Effect.Effect<bigint, StoreFailure>
  /** Fails, once, where another process was the writer since the last write of the session. */
  readonly inSession: Effect.Effect<void, StoreFailure>
  /** Notes that an epoch has passed, and fails with that. */
  readonly lost: (epoch: bigint) => Effect.Effect<never, StoreFailure>
}

const makeLease = (sql: SqlClient.SqlClient, {
  beatMs = 2000,
  holder: name = `process ${process.pid} on ${hostname()}`,
  termMs = 10_000,
  waits = false
}: LeaseOptions): Effect.Effect<HeldLease, never, Scope.Scope> =>
  Effect.gen(function*() {
    let epoch: bigint | null = null
    let lastEpoch: bigint | null = null
    /** From which epoch on nobody else came in between. */
    let since: bigint | null = null
    // process numbers come again: the letters tell a lease that is ours, also where the answer to its taking was lost
    const holder = `${name} (${randomBytes(4).toString("hex")})`
    const one = Semaphore.makeUnsafe(1)
    const told = (writer: Writer): StoreFailure =>
      new StoreFailure({
        retry: true,
        message:
          `The ledger is written by ${writer.holder} since ${writer.since}, expected one writer: stop that process, or try again when it has ended`
      })

    const take = sql.unsafe<{ epoch: bigint }>(takeStatement, [holder, termMs]).pipe(
      Effect.flatMap(([taken]) =>
        taken === undefined
          ? Effect.flatMap(
            sql.unsafe<Writer>(holderStatement),
            ([writer]) => Effect.fail(writer === undefined ? unknownWriter : told(writer))
          )
          : Effect.succeed(taken.epoch)
      ),
      Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error)))
    )
    const held = one.withPermit(Effect.suspend(() => {
      if (epoch !== null) return Effect.succeed(epoch)
      // a lease that was taken is noted, whatever becomes of who asked for it
      const taking = Effect.uninterruptible(Effect.tap(take, (taken) =>
        Effect.andThen(
          Effect.sync(() => {
            if (lastEpoch === null || taken !== lastEpoch + 1n) since = taken
            epoch = lastEpoch = taken
          }),
          Effect.logInfo(`This process writes the ledger, epoch ${taken}`)
        )))
      return waits
        ? Effect.tapError(taking, (failure) => Effect.logDebug(failure.message)).pipe(
          // a database that fails is no other writer: that is told at once
          Effect.retry({
            while: ({ cause }) => cause === undefined,
            schedule: Schedule.spaced(Math.min(retryMs, termMs / 10))
          })
        )
        : taking
    }))
    const forget = (lostEpoch: bigint) =>
      Effect.suspend(() => {
        if (epoch !== lostEpoch) return Effect.void
        epoch = null
        return Effect.logWarning(
          `This process writes the ledger no more: another one has taken over from epoch ${lostEpoch}`
        )
      })
    const beat = Effect.suspend(() => {
      const beating = epoch
      return beating === null ? Effect.void : sql.unsafe(beatStatement, [beating, termMs]).pipe(
        Effect.flatMap((rows) => rows.length === 0 ? forget(beating) : Effect.void),
        Effect.catch((error) =>
          Effect.logWarning("The writer of the ledger could not give its sign of life", error)
        )
      )
    })
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() =>
        epoch === null
          ? Effect.void
          : Effect.ignore(Effect.timeout(sql.unsafe(releaseStatement, [epoch]), releaseMs))
      )
    )
    yield* Effect.forkScoped(Effect.repeat(beat, Schedule.spaced(beatMs)))
    return {
      held,
      inSession: Effect.flatMap(WriteSession, (session) => {
        if (session === null || session.since === since) return Effect.void
        const isFirst = session.since === null
        session.since = since
        return isFirst ? Effect.void : Effect.fail(writerChanged)
      }),
      lost: (lostEpoch) => Effect.andThen(forget(lostEpoch), Effect.fail(noLongerWriter))
    }
  })

/** The first statement of a write transaction; holds until it ends. */
const fence = (sql: SqlClient.SqlClient, epoch: bigint, lost: HeldLease["lost"]) =>
  Effect.flatMap(
    sql.unsafe(fenceStatement, [epoch]),
    (rows) => rows.length === 0 ? lost(epoch) : Effect.void
  )

interface Writer {
  readonly holder: string
  readonly since: string
}

const takeStatement = `
WITH free AS (SELECT singleton FROM writer WHERE holder IS NULL OR holder = $1 OR expires_at <= clock_timestamp() FOR UPDATE)
UPDATE writer SET epoch = epoch + 1, holder = $1, held_since = clock_timestamp(), expires_at = clock_timestamp() + $2 * interval '1 millisecond'
FROM free WHERE writer.singleton = free.singleton
RETURNING epoch`
const holderStatement = `
SELECT holder, to_char(held_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since FROM writer WHERE holder IS NOT NULL`
const beatStatement = `
UPDATE writer SET expires_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE epoch = $1 AND holder IS NOT NULL RETURNING epoch`
const releaseStatement =
  "UPDATE writer SET holder = NULL, held_since = NULL, expires_at = NULL WHERE epoch = $1"
const fenceStatement =
  "SELECT epoch FROM writer WHERE epoch = $1 AND holder IS NOT NULL FOR KEY SHARE"

const unknownWriter = new StoreFailure({
  retry: true,
  message: "The ledger had another writer a moment ago, expected none: try again"
})
const writerChanged = new StoreFailure({
  retry: true,
  writerChanged: true,
  message:
    "Another process may have written the ledger since this one did, which is the writer again: look at its last block, and go on from there; this time nothing was written"
})
const noLongerWriter = new StoreFailure({
  retry: true,
  message:
    "This process is no longer the writer of the ledger: another one took over while it gave no sign of life; nothing was written"
})
