import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schedule, Stream, SubscriptionRef } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type LedgerSnapshot, RecentSnapshots } from "../../../core/ports/mod.ts"
import { ControlConnection, toldBy } from "../connection/mod.ts"
import { PoolChanges, readPlaces } from "./pool_changes.ts"
import { parseVersionPayload, versionPayloadSql } from "./version_payload.ts"

/**
 * The newest ledger version known to this process, and the changes of the pool. A transaction that
 * writes notifies all processes at its commit. The version is also polled: often while the LISTEN
 * connection is down, and rarely otherwise.
 */
export class LedgerVersions extends Context.Service<LedgerVersions, {
  /** The greatest known version; 0 before the first. */
  readonly current: Effect.Effect<number>
  /** Returns the greatest known version, or null while notifications may be missing. */
  readonly latest: () => number | null
  /** Returns the snapshot of a recent version, or null if it is unknown. */
  readonly snapshot: (version: number) => LedgerSnapshot | null
  /** Records a version that this process has read or written before its notification. */
  readonly heard: (version: number) => Effect.Effect<void>
  /** The current version, then each greater one; may skip versions that follow each other fast. */
  readonly changes: Stream.Stream<number>
  /** The changes of the pool that notifications name. */
  readonly pool: PoolChanges
  readonly isPoolTold: () => boolean
}>()("rollup/sql/LedgerVersions") {}

export interface VersionsOptions {
  /** Polling interval while LISTEN is down; 500 ms by default. */
  readonly pollMs?: number
  /**
   * Polling interval otherwise, with a test notification; 5 s by default. Some engines accept
   * LISTEN and never notify.
   */
  readonly slowPollMs?: number
}

export const versionsLayer = (
  { pollMs = 500, slowPollMs = 5000 }: VersionsOptions = {}
): Layer.Layer<LedgerVersions, never, ControlConnection> =>
  Layer.effect(
    LedgerVersions,
    Effect.gen(function*() {
      const { session, sql } = yield* ControlConnection
      const known = yield* SubscriptionRef.make(0)
      const snapshots = new RecentSnapshots()
      const pool = new PoolChanges()
      let isListening = false
      let greatest = 0
      let polledMs = -Infinity
      let notifiedMs = -Infinity
      const heard = (version: number) =>
        Effect.suspend(() => {
          if (version <= greatest) return Effect.void
          greatest = version
          return SubscriptionRef.set(known, version)
        })
      const onPayload = (payload: string) =>
        Effect.suspend(() => {
          const { snapshot, version } = parseVersionPayload(payload)
          if (snapshot !== null) snapshots.note(snapshot)
          return heard(version)
        })
      const take = (payload: string) =>
        Effect.suspend(() => {
          notifiedMs = Date.now()
          const [kind, rest = ""] = payload.split(/ (.*)/su)
          if (kind === "ledger") return onPayload(rest)
          if (kind === "pool") pool.changed(readPlaces(rest))
          return Effect.void
        })
      const poll = Effect.flatMap(storedPayload(sql), (payload) => {
        polledMs = Date.now()
        return payload === undefined ? Effect.void : onPayload(payload)
      })
      const pollAndNotify = Effect.andThen(poll, sql.unsafe(notifyStatement("'here'")))

      const listen = Effect.gen(function*() {
        const connection = yield* PgConnection.make(session)
        const [named] = (yield* connection.query(`SELECT ${channelExpression} AS channel`)).rows
        return yield* connection.listen(String(named!.channel))
      }).pipe(Effect.tapError((error) =>
        Effect.logDebug(
          `No word of new ledger versions, asking for them meanwhile: ${toldBy(error)}`
        )
      ))
      const follow = Effect.scoped(Effect.gen(function*() {
        const notifications = yield* Effect.retry(
          listen,
          Schedule.min([Schedule.exponential(pollMs), Schedule.spaced("10 seconds")])
        )
        isListening = true
        // changes from before LISTEN
        pool.allChanged()
        yield* pollAndNotify
        return yield* Effect.forever(
          Effect.flatMap(Queue.take(notifications), ({ payload }) => take(payload))
        )
      }))
      yield* Effect.forkScoped(Effect.retry(
        Effect.ensuring(
          follow,
          Effect.sync(() => {
            isListening = false
            // the known version may be stale until the next poll
            polledMs = -Infinity
            notifiedMs = -Infinity
          })
        ),
        Schedule.spaced(pollMs)
      ))

      let lastPollMs = 0
      yield* Effect.forkScoped(Effect.repeat(
        Effect.suspend(() => {
          const nowMs = Date.now()
          if (isListening && nowMs - lastPollMs < slowPollMs) {
            return Effect.void
          }
          lastPollMs = nowMs
          return Effect.ignore(isListening ? pollAndNotify : poll)
        }),
        Schedule.spaced(pollMs)
      ))
      const latest = () =>
        Date.now() - polledMs > 2 * (isListening ? slowPollMs : pollMs) ? null : greatest
      const isPoolTold = () => isListening && Date.now() - notifiedMs <= 2 * slowPollMs
      return {
        latest,
        heard,
        pool,
        isPoolTold,
        snapshot: (version) => snapshots.at(version),
        current: SubscriptionRef.get(known),
        changes: Stream.changes(SubscriptionRef.changes(known))
      }
    })
  )

/**
 * A channel belongs to the database, a ledger to a schema: the oid of the table makes the channel
 * unique. A pool may exist without a ledger.
 */
const channelExpression = "'rollup_' || coalesce(to_regclass('ledger')::oid::text, '')"

/** Returns a statement that notifies all processes when the transaction commits. */
const notifyStatement = (payload: string): string =>
  `SELECT pg_notify(${channelExpression}, ${payload})`

/** The RETURNING clause of an UPDATE of `ledger` that notifies all processes of the new version. */
export const notifyVersion =
  `RETURNING pg_notify(${channelExpression}, 'ledger ' || ${versionPayloadSql})`

/**
 * The statement that notifies all processes of changed places in the pool; its parameter comes from
 * `writePlaces`.
 */
export const notifyPlaces = notifyStatement("'pool ' || $1::text")

const storedPayload = (
  sql: SqlClient.SqlClient
): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<{ word: string }>(`SELECT ${versionPayloadSql} AS word FROM ledger`),
    ([row]) => row?.word
  )
