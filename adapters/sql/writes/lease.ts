import { Context, Effect, Layer, Schedule, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { StoreFailure, WriteSession } from "../../../core/ports/mod.ts"
import { ControlConnection, Database, LastWrite, storeFailure } from "../connection/mod.ts"

/*
 * One process writes the ledger at a time, and the database enforces it. The row of `writer` has
 * the holder and the time at which its lease expires without a heartbeat, by the clock of the
 * database alone. Each new holder has a greater epoch, and every write transaction begins by
 * locking the row with its epoch, so a process that lost the lease cannot commit, however long it
 * was suspended.
 *
 * Locks: a write transaction holds FOR KEY SHARE, which does not block the heartbeat (an update of
 * no key column), so the lease does not expire during a long write. A new holder needs FOR UPDATE,
 * and so waits until no transaction of the previous holder is open.
 * `idle_in_transaction_session_timeout` ends a transaction that a suspended process left open. It
 * is a row lock rather than an advisory lock since distributed engines support row locks, and since
 * the row names the holder.
 */

/** Options of the lease to write the ledger. */
export interface LeaseOptions {
  /** Time from the last heartbeat to the expiry of the lease; 10 s by default. */
  readonly termMs?: number
  /** Interval of heartbeats; 2 s by default. */
  readonly heartbeatMs?: number
  /**
   * Whether a write waits while another process holds the lease. If false, the default, the write
   * fails.
   */
  readonly waits?: boolean
  /** Name of the holder in messages of other processes; process id and host name by default. */
  readonly holder?: string
}

/** The time from acquiring the lease to losing it, in which no other process writes. */
export interface LeaseTerm {
  readonly epoch: bigint
  /** One of them is the id of the last write of the ledger. Empty before the first of the term. */
  lastWriteIds: ReadonlyArray<string | null>
}

/**
 * The lease to write the ledger. The first write acquires it, and closing the layer releases it.
 */
export class WriterLease extends Context.Service<WriterLease, {
  /**
   * Runs a write as one transaction on `Database.writes` that commits only while this process holds
   * the lease. Fails without effect if another process holds it, and once in each `WriteSession` if
   * another process held it since the last write of the session.
   */
  readonly write: <A, E, R>(
    transaction: (term: LeaseTerm) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError | StoreFailure, R>
}>()("rollup/sql/WriterLease") {}

/**
 * Returns the lease over the connections of a database. While the process holds the lease, a
 * heartbeat extends it in the background.
 */
export const leaseLayer = (
  options: LeaseOptions = {}
): Layer.Layer<WriterLease, never, Database | ControlConnection | LastWrite> =>
  Layer.effect(
    WriterLease,
    Effect.gen(function*() {
      const { writes } = yield* Database
      const { sql } = yield* ControlConnection
      const lease = new ProcessLease(sql, yield* LastWrite, options)
      yield* Effect.addFinalizer(() => lease.release)
      const { heartbeatMs = 2000 } = options
      yield* Effect.forkScoped(Effect.repeat(lease.heartbeat, Schedule.spaced(heartbeatMs)))
      let term: LeaseTerm | null = null
      const termOf = (epoch: bigint): LeaseTerm =>
        term?.epoch === epoch ? term : term = { epoch, lastWriteIds: [] }
      return {
        write: (transaction) =>
          lease.acquire.pipe(
            Effect.tap(lease.checkSession),
            Effect.flatMap((epoch) =>
              writes.withTransaction(
                Effect.andThen(lockEpoch(writes, epoch, lease), transaction(termOf(epoch)))
              )
            )
          )
      }
    })
  )

/** Polling interval while another process holds the lease; at most `termMs / 10`. */
const retryMs = 500
/** Timeout of the release on shutdown; the lease expires in any case. */
const releaseMs = 2000

/** The lease of this process: the statements that take, extend and release it, and its state. */
class ProcessLease {
  readonly #sql: SqlClient.SqlClient
  readonly #lastWrite: LastWrite["Service"]
  readonly #termMs: number
  readonly #waits: boolean
  readonly #holder: string
  readonly #oneAtATime = Semaphore.makeUnsafe(1)
  #epoch: bigint | null = null
  #lastEpoch: bigint | null = null
  /** The first epoch since which no other process held the lease. */
  #since: bigint | null = null

  constructor(
    sql: SqlClient.SqlClient,
    lastWrite: LastWrite["Service"],
    {
      holder = `process ${process.pid} on ${hostname()}`,
      termMs = 10_000,
      waits = false
    }: LeaseOptions
  ) {
    this.#sql = sql
    this.#lastWrite = lastWrite
    this.#termMs = termMs
    this.#waits = waits
    // process ids are reused: the suffix identifies our lease, even if the answer to the
    // statement was lost
    this.#holder = `${holder} (${randomBytes(4).toString("hex")})`
  }

  /** Returns the epoch of this process's lease; acquires the lease unless the process holds it. */
  readonly acquire = this.#oneAtATime.withPermit(Effect.suspend(() => {
    if (this.#epoch !== null) return Effect.succeed(this.#epoch)
    // record the new epoch even if the caller is interrupted
    const take = Effect.uninterruptible(
      Effect.tap(this.#raiseEpoch(), (epoch) =>
        Effect.andThen(
          Effect.sync(() => this.#record(epoch)),
          Effect.logInfo(`This process writes the ledger, epoch ${epoch}`)
        ))
    )
    return this.#waits
      ? Effect.tapError(take, (failure) => Effect.logDebug(failure.message)).pipe(
        // fail at once if the database fails: there is no other writer to wait for
        Effect.retry({
          while: ({ cause }) => cause === undefined,
          schedule: Schedule.spaced(Math.min(retryMs, this.#termMs / 10))
        })
      )
      : take
  }))

  /** Fails once if another process was the writer since the last write of the session. */
  readonly checkSession = Effect.flatMap(WriteSession, (session) => {
    if (session === null || session.since === this.#since) return Effect.void
    const isFirst = session.since === null
    session.since = this.#since
    return isFirst ? Effect.void : Effect.fail(writerChanged)
  })

  /** Records that the lease of an epoch is lost, and fails. */
  readonly failAsLost = (epoch: bigint): Effect.Effect<never, StoreFailure> =>
    Effect.andThen(this.#forget(epoch), Effect.fail(noLongerWriter))

  /** Extends the lease. */
  get heartbeat(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const epoch = this.#epoch
      return epoch === null
        ? Effect.void
        : this.#sql.unsafe(heartbeatStatement, [epoch, this.#termMs]).pipe(
          Effect.flatMap((rows) => rows.length === 0 ? this.#forget(epoch) : Effect.void),
          Effect.catch((error) =>
            Effect.logWarning("The heartbeat of the writer of the ledger failed", error)
          )
        )
    })
  }

  /** Gives the lease up, so that another process need not wait until it expires. */
  get release(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#epoch === null
        ? Effect.void
        : Effect.ignore(
          Effect.timeout(this.#sql.unsafe(releaseStatement, [this.#epoch]), releaseMs)
        )
    )
  }

  #raiseEpoch(): Effect.Effect<bigint, StoreFailure> {
    const sql = this.#sql
    return sql.unsafe<{ epoch: bigint }>(takeStatement, [this.#holder, this.#termMs]).pipe(
      Effect.flatMap(([writer]) =>
        writer === undefined
          ? Effect.flatMap(
            Effect.andThen(this.#lastWrite.recordOtherWriter, sql.unsafe<Writer>(holderStatement)),
            ([writer]) => Effect.fail(writer === undefined ? unknownWriter : heldBy(writer))
          )
          : Effect.succeed(writer.epoch)
      ),
      Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error)))
    )
  }

  #record(epoch: bigint): void {
    if (this.#lastEpoch === null || epoch !== this.#lastEpoch + 1n) this.#since = epoch
    this.#epoch = this.#lastEpoch = epoch
  }

  #forget(epoch: bigint): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#epoch !== epoch) return Effect.void
      this.#epoch = null
      return Effect.logWarning(
        `This process no longer writes the ledger: another process has taken over from epoch ${epoch}`
      )
    })
  }
}

const heldBy = (writer: Writer): StoreFailure =>
  new StoreFailure({
    retry: true,
    message:
      `The ledger is written by ${writer.holder} since ${writer.since}, and only one process can write: stop that process, or try again after it has stopped`
  })

/** The first statement of a write transaction; its lock lasts until the transaction ends. */
const lockEpoch = (sql: SqlClient.SqlClient, epoch: bigint, lease: ProcessLease) =>
  Effect.flatMap(
    sql.unsafe(lockEpochStatement, [epoch]),
    (rows) => rows.length === 0 ? lease.failAsLost(epoch) : Effect.void
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
const heartbeatStatement = `
UPDATE writer SET expires_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE epoch = $1 AND holder IS NOT NULL RETURNING epoch`
const releaseStatement =
  "UPDATE writer SET holder = NULL, held_since = NULL, expires_at = NULL WHERE epoch = $1"
const lockEpochStatement =
  "SELECT epoch FROM writer WHERE epoch = $1 AND holder IS NOT NULL FOR KEY SHARE"

const unknownWriter = new StoreFailure({
  retry: true,
  message: "Another process was the writer of the ledger a moment ago: try again"
})
const writerChanged = new StoreFailure({
  retry: true,
  writerChanged: true,
  message:
    "Another process may have written the ledger in the meantime, and this process is the writer again: read the last block and continue after it; nothing was written"
})
const noLongerWriter = new StoreFailure({
  retry: true,
  message:
    "This process is no longer the writer of the ledger, because it sent no heartbeat and another process took over; nothing was written"
})
