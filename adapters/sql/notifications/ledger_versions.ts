import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schedule, Stream, SubscriptionRef } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type LedgerSnapshot, RecentSnapshots } from "../../../core/ports/mod.ts"
import { Signals, toldBy } from "../connection/mod.ts"
import { PoolChanges, readPlaces } from "./pool_changes.ts"
import { readWord, wordExpression } from "./version_payload.ts"

/**
 * What this process knows of the newest ledger version, and of changes in the pool. Other processes are told by the transaction that
 * writes, at its commit; while the connection that listens is down, and now and then in any case, the database is asked for the version.
 */
export class LedgerVersions extends Context.Service<LedgerVersions, {
  /** The greatest version that was heard of; 0 before the first. */
  readonly current: Effect.Effect<number>
  /** The greatest version that was heard of, at once; null while word of a new one might not come. */
  readonly latest: () => number | null
  /** What was heard of one of the last versions; null where that is nothing. */
  readonly snapshot: (version: number) => LedgerSnapshot | null
  /** Notes a version that this process has seen or written before word of it came. */
  readonly heard: (version: number) => Effect.Effect<void>
  /** The current version, and then each one that is heard of. It grows; versions that follow each other fast may be left out. */
  readonly changes: Stream.Stream<number>
  /** What is heard of the pool, while word of it comes. */
  readonly pool: PoolChanges
  readonly isPoolTold: () => boolean
}>()("rollup/sql/LedgerVersions") {}

export interface VersionsOptions {
  /** How often the database is asked while nothing listens; 500 ms by default. */
  readonly pollMs?: number
  /** How often it is asked all the same, and asked to tell something; 5 s by default: some engines take a LISTEN and never tell anything. */
  readonly slowPollMs?: number
}

export const versionsLayer = (
  { pollMs = 500, slowPollMs = 5000 }: VersionsOptions = {}
): Layer.Layer<LedgerVersions, never, Signals> =>
  Layer.effect(
    LedgerVersions,
    Effect.gen(function*() {
      const { session, sql } = yield* Signals
      const known = yield* SubscriptionRef.make(0)
      const snapshots = new RecentSnapshots()
      const pool = new PoolChanges()
      let listens = false
      let greatest = 0
      let toldMs = -Infinity
      let listenedMs = -Infinity
      const heard = (version: number) =>
        Effect.suspend(() => {
          if (version <= greatest) return Effect.void
          greatest = version
          return SubscriptionRef.set(known, version)
        })
      const heardWord = (word: string) =>
        Effect.suspend(() => {
          const { snapshot, version } = readWord(word)
          if (snapshot !== null) snapshots.note(snapshot)
          return heard(version)
        })
      const take = (payload: string) =>
        Effect.suspend(() => {
          listenedMs = Date.now()
          const [kind, rest = ""] = payload.split(/ (.*)/su)
          if (kind === "ledger") return heardWord(rest)
          if (kind === "pool") pool.changed(readPlaces(rest))
          return Effect.void
        })
      const ask = Effect.flatMap(storedWord(sql), (word) => {
        toldMs = Date.now()
        return word === undefined ? Effect.void : heardWord(word)
      })
      const askAll = Effect.andThen(ask, sql.unsafe(announcing("'here'")))

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
        listens = true
        // what was written before we listened
        pool.allChanged()
        yield* askAll
        return yield* Effect.forever(
          Effect.flatMap(Queue.take(notifications), ({ payload }) => take(payload))
        )
      }))
      yield* Effect.forkScoped(Effect.retry(
        Effect.ensuring(
          follow,
          Effect.sync(() => {
            listens = false
            // what was known may be old by now, until the database says so
            toldMs = -Infinity
            listenedMs = -Infinity
          })
        ),
        Schedule.spaced(pollMs)
      ))

      let askedMs = 0
      yield* Effect.forkScoped(Effect.repeat(
        Effect.suspend(() => {
          const nowMs = Date.now()
          if (listens && nowMs - askedMs < slowPollMs) {
            return Effect.void
          }
          askedMs = nowMs
          return Effect.ignore(listens ? askAll : ask)
        }),
        Schedule.spaced(pollMs)
      ))
      const latest = () =>
        Date.now() - toldMs > 2 * (listens ? slowPollMs : pollMs) ? null : greatest
      const isPoolTold = () => listens && Date.now() - listenedMs <= 2 * slowPollMs
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

/** Channels belong to a database, a ledger to a schema in it: the table tells ledgers apart. A pool may be used without one. */
const channelExpression = "'rollup_' || coalesce(to_regclass('ledger')::oid::text, '')"

/** Tells every process something when the transaction commits, and nothing where it fails. */
const announcing = (word: string): string => `SELECT pg_notify(${channelExpression}, ${word})`

/** Tells every process of the version that a statement writes: the end of an UPDATE of `ledger`. */
export const announcingVersion =
  `RETURNING pg_notify(${channelExpression}, 'ledger ' || ${wordExpression})`

/** Tells every process which places of the pool a transaction changes: its parameter, as `writePlaces` writes them. */
export const announcePlaces = announcing("'pool ' || $1::text")

const storedWord = (
  sql: SqlClient.SqlClient
): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<{ word: string }>(`SELECT ${wordExpression} AS word FROM ledger`),
    ([row]) => row?.word
  )
