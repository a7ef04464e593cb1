import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schedule, Stream, SubscriptionRef } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { toldBy } from "./_failure.ts"
import { Signals } from "./_signals.ts"

/**
 * What this process knows of the newest ledger version. Other processes are told by the transaction that writes it, at its commit;
 * while the connection that listens is down, and now and then in any case, the database is asked.
 */
export class LedgerVersions extends Context.Service<LedgerVersions, {
  /** The greatest version that was heard of; 0 before the first. */
  readonly current: Effect.Effect<number>
  /** The greatest version that was heard of, at once; null while word of a new one might not come. */
  readonly latest: () => number | null
  /** Notes a version that this process has seen or written before word of it came. */
  readonly heard: (version: number) => Effect.Effect<void>
  /** The current version, and then each one that is heard of. It grows; versions that follow each other fast may be left out. */
  readonly changes: Stream.Stream<number>
}>()("rollup/sql/LedgerVersions") {}

export interface VersionsOptions {
  /** How often the database is asked while nothing listens; 500 ms by default. */
  readonly pollMs?: number
  /** How often it is asked all the same; 5 s by default: some engines take a LISTEN and never tell anything. */
  readonly slowPollMs?: number
}

export const versionsLayer = ({ pollMs = 500, slowPollMs = 5000 }: VersionsOptions = {}): Layer.Layer<LedgerVersions, never, Signals> =>
  Layer.effect(LedgerVersions, Effect.gen(function*() {
    const { session, sql } = yield* Signals
    const known = yield* SubscriptionRef.make(0)
    let listens = false
    let greatest = 0
    let toldMs = -Infinity
    const heard = (version: number) => Effect.suspend(() => {
      if (version <= greatest) return Effect.void
      greatest = version
      return SubscriptionRef.set(known, version)
    })
    const ask = Effect.flatMap(storedVersion(sql), (version) => {
      toldMs = Date.now()
      return heard(version)
    })

    const listen = Effect.gen(function*() {
      const connection = yield* PgConnection.make(session)
      const [named] = (yield* connection.query(`SELECT ${channelExpression} AS channel`)).rows
      return yield* connection.listen(String(named!.channel))
    }).pipe(Effect.tapError((error) => Effect.logDebug(`No word of new ledger versions, asking for them meanwhile: ${toldBy(error)}`)))
    const follow = Effect.scoped(Effect.gen(function*() {
      const notifications = yield* Effect.retry(listen, Schedule.min([Schedule.exponential(pollMs), Schedule.spaced("10 seconds")]))
      listens = true
      // what was written before we listened
      yield* ask
      return yield* Effect.forever(Effect.flatMap(Queue.take(notifications), ({ payload }) => heard(Number(payload))))
    }))
    yield* Effect.forkScoped(Effect.retry(Effect.ensuring(follow, Effect.sync(() => {
      listens = false
      // what was known may be old by now, until the database says so
      toldMs = -Infinity
    })), Schedule.spaced(pollMs)))

    let askedMs = 0
    yield* Effect.forkScoped(Effect.repeat(
      Effect.suspend(() => {
        const nowMs = Date.now()
        if (listens && nowMs - askedMs < slowPollMs) return Effect.void
        askedMs = nowMs
        return Effect.ignore(ask)
      }),
      Schedule.spaced(pollMs)
    ))
    const latest = () => Date.now() - toldMs > 2 * (listens ? slowPollMs : pollMs) ? null : greatest
    return { latest, heard, current: SubscriptionRef.get(known), changes: Stream.changes(SubscriptionRef.changes(known)) }
  }))

/** Channels belong to a database, a ledger to a schema in it: the table tells ledgers apart. */
const channelExpression = "'ledger_' || 'ledger'::regclass::oid"

/**
 * Tells every process of the version that a statement writes: the end of an UPDATE of `ledger`. It is heard when the transaction
 * commits, and not at all where it fails.
 */
export const announcingVersion = `RETURNING pg_notify(${channelExpression}, ledger.version::text)`

const storedVersion = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError.SqlError> =>
  Effect.map(sql.unsafe<{ version: bigint }>("SELECT version FROM ledger"), ([row]) => row === undefined ? 0 : Number(row.version))
