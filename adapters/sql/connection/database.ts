import type { PgConnection } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, type Redacted, Schedule, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Client, type ClientOptions, makeClient, type Values } from "./client.ts"
import {
  causeMessage,
  DatabaseError,
  isConnectionLost,
  isEncryptionRefused,
  sqlState
} from "./failure.ts"
import { LastWrite, makeLastWrite } from "./last_write.ts"
import { addressText, openSocket, serverAddress } from "./_server_address.ts"

/**
 * The clients of one database: connections for reads, for writes and for migrations.
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { Database, databaseLayer } from "rollup-node-api/sql"
 *
 * const url = Redacted.make(process.env.DATABASE_URL!)
 * const select = Effect.flatMap(Database, ({ reads }) => reads.unsafe("SELECT 6 * 7 AS answer"))
 * const rows = await Effect.runPromise(Effect.provide(select, databaseLayer({ url })))
 * console.log(rows[0]) // => { answer: 42 }
 * ```
 */
export class Database extends Context.Service<Database, {
  /**
   * For point and page reads; statements of many fibers share connections. Each statement reads its
   * own snapshot. It is retried once if its connection is lost, so it must not write.
   */
  readonly reads: SqlClient.SqlClient
  /** Uses the same connections and returns each row as an array of values; faster than `reads`. */
  readonly values: Values
  /** For transactions and long statements; each has its own connection. */
  readonly writes: SqlClient.SqlClient
  /** For migrations and audits; one connection without a statement timeout. */
  readonly migrations: SqlClient.SqlClient
}>()("rollup/sql/Database") {}

/**
 * The connection for statements that must not queue behind others: the heartbeat of the writer and
 * notifications of versions.
 */
export class ControlConnection extends Context.Service<ControlConnection, {
  /** A client with one connection. */
  readonly sql: SqlClient.SqlClient
  /**
   * Returns the options of another connection, for LISTEN, which is lost after `silenceMs` without
   * data: the server must send something more often.
   */
  readonly session: (silenceMs: number) => PgConnection.Config
}>()("rollup/sql/ControlConnection") {}

/** Options of the connections to a database. Times are in milliseconds. */
export interface DatabaseOptions {
  /**
   * `postgresql://user:password@host:5432/database`; parameters such as `sslmode` and `options` are
   * supported.
   */
  readonly url: Redacted.Redacted
  /**
   * Maximum number of connections of this process, 4 or more; 16 by default. Two of them are for
   * notifications and the heartbeat of the writer; one more is open while migrations are applied.
   */
  readonly maxConnections?: number
  /** Greatest duration of a statement on the server; 10 s by default. */
  readonly statementTimeoutMs?: number
  /**
   * Greatest time that a statement or transaction waits for a connection; 2 s by default. Then it
   * fails, and can be retried.
   */
  readonly queueWaitMs?: number
  /**
   * Maximum number of concurrent lists of the transactions from a sender to another receiver, in all
   * batches; 2 by default. They cost as much as the shorter one of the lists of the two has items.
   * Beyond it a list fails with a `StoreFailure` of the reason "busy". `databaseLayer` ignores it.
   */
  readonly pairReadsMax?: number
  /** Greatest time to open a connection; 3 s by default. */
  readonly connectTimeoutMs?: number
  /**
   * Greatest time that the layer waits at its start for a database that does not answer; 60 s by
   * default, 0 does not wait.
   */
  readonly waitMs?: number
  /**
   * Greatest idle time of an open transaction, such as that of a frozen process; 10 s by default.
   * Then the server ends the session and releases its locks.
   */
  readonly idleTransactionMs?: number
  /** Name of the sessions in `pg_stat_activity`; `rollup-node` by default. */
  readonly applicationName?: string
}

/**
 * Statements in flight on one connection for reads. More of them need fewer socket writes and fewer
 * processes of the server, but each waits for the slower ones before it. The row of RESULTS.md is
 * "20 transactions of an account" at 32 connections; 1 switches it off.
 */
const readsSharing = 16

/**
 * Connects to a database. While the database is unreachable, the layer logs a warning and retries
 * for `waitMs`. It fails with a `DatabaseError` if the URL is invalid ("url"), the server rejects
 * the connection ("refused"), or the wait has ended ("unreachable"). If a connection is lost
 * later, the next statement opens it again.
 *
 * @example
 * ```ts
 * import { Effect, Layer, Redacted } from "effect"
 * import { databaseLayer } from "rollup-node-api/sql"
 *
 * const url = Redacted.make("postgresql://user:secret@localhost/rollup?sslmode=always")
 * const error = await Effect.runPromise(
 *   Effect.flip(Effect.scoped(Layer.build(databaseLayer({ url }))))
 * )
 * console.log(error.reason, error.message.includes("secret")) // => url false
 * ```
 */
export const databaseLayer = (
  options: DatabaseOptions
): Layer.Layer<Database | ControlConnection | LastWrite, DatabaseError> =>
  Layer.effectContext(Effect.gen(function*() {
    const common = yield* clientOptions(options)
    const alone = { connections: 1, sharing: 1, retries: false }
    const { replaceConnections, sql: reads, values } = yield* readClient("reads", common)
    const connections = Math.floor(common.pooled / 2)
    const { sql: writes } = yield* client("writes", common, { ...alone, connections })
    const { sql: control } = yield* client("signals", common, { ...alone, retries: true })
    const { sql: migrations } = yield* client("migration", common, {
      ...alone,
      statementTimeoutMs: 0
    })
    yield* waitForAnswer(control, common)
    return Context.make(Database, { reads, values, writes, migrations }).pipe(
      Context.add(ControlConnection, { sql: control, session: sessionOptions(common) }),
      // connections for reads may have been opened to a standby as well
      Context.add(LastWrite, makeLastWrite(replaceConnections))
    )
  }))

/** Returns a client for reads from a replica, which need not be reachable yet. */
export const replicaReads = (
  options: DatabaseOptions
): Effect.Effect<Client, DatabaseError, Scope.Scope> =>
  Effect.flatMap(clientOptions(options), (common) => readClient("replica", common))

const client = (
  name: string,
  common: CommonOptions,
  rest: Pick<ClientOptions, "connections" | "sharing" | "retries"> & Partial<ClientOptions>
) =>
  Effect.orDie(
    makeClient({
      ...common,
      applicationName: `${common.applicationName} ${name}`,
      role: name,
      ...rest
    })
  )

const readClient = (name: string, common: CommonOptions) =>
  client(name, common, {
    connections: Math.ceil(common.pooled / 2),
    sharing: readsSharing,
    retries: true
  })

const clientOptions = ({
  applicationName = "rollup-node",
  connectTimeoutMs = 3000,
  idleTransactionMs = 10_000,
  maxConnections = 16,
  queueWaitMs = 2000,
  statementTimeoutMs = 10_000,
  url,
  waitMs = 60_000
}: DatabaseOptions) =>
  Effect.map(
    Effect.fromResult(serverAddress(url)),
    (address) => ({
      address,
      applicationName,
      connectTimeoutMs,
      idleTransactionMs,
      /** Connections for reads and writes. */
      pooled: Math.max(2, maxConnections - 2),
      queueWaitMs,
      statementTimeoutMs,
      url,
      waitMs
    })
  )

type CommonOptions = Effect.Success<ReturnType<typeof clientOptions>>

/**
 * Options of the LISTEN connection, which is outside of the pools since it stays open without
 * statements.
 */
const sessionOptions = (
  { address, applicationName, connectTimeoutMs, url }: CommonOptions
): ControlConnection["Service"]["session"] =>
(silenceMs) => ({
  url,
  applicationName: `${applicationName} notifications`,
  connectTimeout: connectTimeoutMs,
  stream: () => openSocket(address, silenceMs)
})

/** Waits until the database answers a statement; fails if it rejects the connection. */
const waitForAnswer = (
  sql: SqlClient.SqlClient,
  { address, waitMs }: CommonOptions
): Effect.Effect<void, DatabaseError> =>
  Effect.gen(function*() {
    const endMs = (yield* Clock.currentTimeMillis) + waitMs
    yield* sql.unsafe("SELECT 1").pipe(
      Effect.mapError((error) => ({
        error,
        text: `${addressText(address)} cannot be used: ${causeMessage(error)}`,
        // the server starts, has too many connections, or is unreachable
        isTransient: isConnectionLost(error) || sqlState(error)?.startsWith("53") === true
      })),
      Effect.tapError(({ isTransient, text }) =>
        isTransient && waitMs > 0
          ? Effect.logWarning(`${text}; trying again for up to ${waitMs / 1000} s`)
          : Effect.void
      ),
      Effect.retry({
        while: ({ isTransient }) =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => isTransient && nowMs < endMs),
        schedule: Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("5 seconds")])
      }),
      Effect.mapError(({ error, isTransient, text }) =>
        isTransient
          ? new DatabaseError({
            reason: "unreachable",
            message: `${text}${
              waitMs === 0 ? "" : ` after ${waitMs / 1000} s`
            }; start the server, correct the URL, or wait longer`,
            cause: error
          })
          : new DatabaseError({
            reason: "refused",
            message: `${text}; ${remedyOf(error)}`,
            cause: error
          })
      )
    )
  })

const remedyOf = (error: SqlError.SqlError): string =>
  isEncryptionRefused(error)
    ? "enable TLS with a trusted certificate on the server (NODE_EXTRA_CA_CERTS adds an authority), or correct sslmode in the URL"
    : "correct the URL or the privileges of its user"
