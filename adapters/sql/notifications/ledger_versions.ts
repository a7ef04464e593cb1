import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, PubSub, Queue, Schedule, Stream, SubscriptionRef } from "effect"
import { type LedgerSnapshot, RecentSnapshots } from "../../../core/ports/mod.ts"
import { ControlConnection, causeMessage } from "../connection/mod.ts"
import { parseVersionPayload, versionPayloadSql } from "./version_payload.ts"

/**
 * The newest ledger version known to this process, and the changes of the pool. Each write notifies
 * all processes at its commit. The version is also polled: every 500 ms while the LISTEN connection
 * is down, and every 2 s otherwise. If the connection has died without a sign, the known version and
 * `pool` are at most 4 s old: then they are unknown, and the connection is opened again.
 *
 * @example
 * ```ts
 * import { Effect, Redacted, Result, Stream } from "effect"
 * import { LedgerWriter } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 * import { LedgerVersions, sqlStores } from "rollup-node-api/sql"
 *
 * const stores = sqlStores({
 *   genesis: simulate({ seed: 1 }).genesis,
 *   url: Redacted.make(process.env.DATABASE_URL!)
 * })
 * const program = Effect.gen(function*() {
 *   const { changes, current } = yield* LedgerVersions
 *   const before = yield* current
 *   yield* (yield* LedgerWriter).setPrices([], () => Result.void)
 *   return yield* Stream.runHead(Stream.filter(changes, (version) => version > before))
 * })
 * console.log((await Effect.runPromise(Effect.provide(program, stores)))._tag) // => Some
 * ```
 */
export class LedgerVersions extends Context.Service<LedgerVersions, {
  /** Returns the greatest known version; 0 before the first notification or poll. */
  readonly current: Effect.Effect<number>
  /** Returns the greatest known version, or null while notifications may be missing. */
  readonly latest: () => number | null
  /** Returns the snapshot of a recent version, or null if it is unknown. */
  readonly snapshot: (version: number) => LedgerSnapshot | null
  /** Records a version that this process has read or written before its notification. */
  readonly recordVersion: (version: number) => Effect.Effect<void>
  /** Emits the greatest known version, then greater ones; may skip some in quick succession. */
  readonly changes: Stream.Stream<number>
  /** A number that changes with each change of the pool, and if notifications may have been lost. */
  readonly pool: SubscriptionRef.SubscriptionRef<number>
  /** Returns the version of the pool, or null while notifications may be missing. */
  readonly latestPool: () => number | null
  /** Emits the snapshots of the ledger, in the order of their commits. */
  readonly snapshots: PubSub.PubSub<LedgerNotification>
}>()("rollup/sql/LedgerVersions") {}

/**
 * The snapshot after a write. `isNext` is false if the snapshot was polled, so that there may be
 * others between the last one and this one.
 */
export interface LedgerNotification {
  readonly snapshot: LedgerSnapshot
  readonly isNext: boolean
}

/** Polling interval while LISTEN is down. */
const pollMs = 500
/**
 * Polling interval otherwise, with a test notification: some engines accept LISTEN and never
 * notify, and a connection can die without a sign.
 */
const slowPollMs = 2000
/** Time without a notification after which the LISTEN connection counts as dead. */
const silenceMs = 2 * slowPollMs

/**
 * Returns a layer that listens and polls until it is closed. It is not a constant, since Effect
 * would share one layer between all databases of a process.
 */
export const versionsLayer = (): Layer.Layer<LedgerVersions, never, ControlConnection> =>
  Layer.effect(
    LedgerVersions,
    Effect.gen(function*() {
      const control = yield* ControlConnection
      const signals = yield* openSignals
      const { pool, snapshots, version } = signals
      const known = new KnownVersions(signals)
      yield* Effect.forkScoped(Effect.retry(
        Effect.ensuring(followNotifications(control, known), Effect.sync(() => known.stopped())),
        Schedule.spaced(pollMs)
      ))
      yield* Effect.forkScoped(pollRegularly(control, known))
      return {
        latest: () => known.latest(),
        recordVersion: (version) => known.record(version),
        pool,
        latestPool: () => known.isReceiving() ? SubscriptionRef.getUnsafe(pool) : null,
        snapshots,
        snapshot: (version) => known.snapshots.at(version),
        current: SubscriptionRef.get(version),
        changes: Stream.changes(SubscriptionRef.changes(version))
      }
    })
  )

/** Records a change of the pool. `version` is a number that changes with each change. */
export const recordPoolChange = (
  version: SubscriptionRef.SubscriptionRef<number>
): Effect.Effect<void> => SubscriptionRef.update(version, (number) => number + 1)

/** What other parts of the process follow. */
const openSignals = Effect.all({
  version: SubscriptionRef.make(0),
  pool: SubscriptionRef.make(0),
  snapshots: PubSub.unbounded<LedgerNotification>()
})

/** What this process has read, written or been notified of. A clock may go back between two times. */
class KnownVersions {
  readonly signals: Effect.Success<typeof openSignals>
  readonly snapshots = new RecentSnapshots()
  isListening = false
  #greatest = 0
  #polledMs = -Infinity
  #notifiedMs = -Infinity

  constructor(signals: Effect.Success<typeof openSignals>) {
    this.signals = signals
  }

  /** Returns the greatest version; null if it may be stale. */
  latest(): number | null {
    const staleMs = this.isListening ? silenceMs : 2 * pollMs
    return Math.abs(Date.now() - this.#polledMs) > staleMs ? null : this.#greatest
  }

  isReceiving(): boolean {
    return this.isListening && Math.abs(Date.now() - this.#notifiedMs) <= silenceMs
  }

  record(version: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (version <= this.#greatest) return Effect.void
      this.#greatest = version
      return SubscriptionRef.set(this.signals.version, version)
    })
  }

  /** Call this with the payload that the ledger had at `sentMs` or later; undefined without a ledger. */
  polled(payload: string | undefined, sentMs: number): Effect.Effect<void> {
    this.#polledMs = sentMs
    return payload === undefined ? Effect.void : this.#add(payload, false)
  }

  notified(payload: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#notifiedMs = Date.now()
      const [kind, rest = ""] = payload.split(/ (.*)/su)
      if (kind === "ledger") return this.#add(rest, true)
      return kind === "pool" ? recordPoolChange(this.signals.pool) : Effect.void
    })
  }

  /** Call this when LISTEN ends: the known version may be stale until the next poll. */
  stopped(): void {
    this.isListening = false
    this.#polledMs = -Infinity
    this.#notifiedMs = -Infinity
  }

  #add(payload: string, isNext: boolean): Effect.Effect<void> {
    const { snapshot, version } = parseVersionPayload(payload)
    if (snapshot !== null) {
      this.snapshots.note(snapshot)
      // while notifications arrive, a polled version is also notified, after those before it
      if (isNext || !this.isReceiving()) {
        PubSub.publishUnsafe(this.signals.snapshots, { snapshot, isNext })
      }
    }
    return this.record(version)
  }
}

type Control = ControlConnection["Service"]

/** Listens, and reports the notifications until the connection fails. */
const followNotifications = (control: Control, known: KnownVersions) =>
  Effect.scoped(Effect.gen(function*() {
    const notifications = yield* Effect.retry(
      listen(control),
      Schedule.min([Schedule.exponential(pollMs), Schedule.spaced("10 seconds")])
    )
    known.isListening = true
    // changes from before LISTEN
    yield* recordPoolChange(known.signals.pool)
    yield* pollAndNotify(control, known)
    return yield* Effect.forever(
      Effect.flatMap(Queue.take(notifications), ({ payload }) => known.notified(payload))
    )
  }))

const listen = ({ session }: Control) =>
  Effect.gen(function*() {
    const connection = yield* PgConnection.make(session(silenceMs))
    const [row] = (yield* connection.query(`SELECT ${channelExpression} AS channel`)).rows
    return yield* connection.listen(String(row!.channel))
  }).pipe(Effect.tapError((error) =>
    Effect.logDebug(
      `LISTEN failed, polling for new ledger versions until it works: ${causeMessage(error)}`
    )
  ))

const poll = ({ sql }: Control, known: KnownVersions) =>
  Effect.suspend(() => {
    const sentMs = Date.now()
    return Effect.flatMap(
      sql.unsafe<{ word: string }>(`SELECT ${versionPayloadSql} AS word FROM ledger`),
      ([row]) => known.polled(row?.word, sentMs)
    )
  })

const pollAndNotify = (control: Control, known: KnownVersions) =>
  Effect.andThen(poll(control, known), control.sql.unsafe(notifyStatement("'here'")))

const pollRegularly = (control: Control, known: KnownVersions) => {
  let lastPollMs = 0
  return Effect.repeat(
    Effect.suspend(() => {
      const nowMs = Date.now()
      if (known.isListening && Math.abs(nowMs - lastPollMs) < slowPollMs) return Effect.void
      lastPollMs = nowMs
      return Effect.ignore(known.isListening ? pollAndNotify(control, known) : poll(control, known))
    }),
    Schedule.spaced(pollMs)
  )
}

/**
 * SQL for the name of the channel. Channels are shared by all schemas of a database; the oid of the
 * table makes the name unique to a ledger. A pool may exist without a ledger.
 */
const channelExpression = "'rollup_' || coalesce(to_regclass('ledger')::oid::text, '')"

/** Returns a statement that notifies all processes when the transaction commits. */
const notifyStatement = (payload: string): string =>
  `SELECT pg_notify(${channelExpression}, ${payload})`

/** The RETURNING clause of an UPDATE of `ledger` that notifies all processes of the new version. */
export const notifyVersion =
  `RETURNING pg_notify(${channelExpression}, 'ledger ' || ${versionPayloadSql})`

/** The statement that notifies all processes of a change of the pool. */
export const notifyPoolChange = notifyStatement("'pool'")
