import type { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, type Redacted, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { type Client, type ClientOptions, makeClient, type Values } from "./client.ts"
import { DatabaseError, isConnectionLost, sqlState, toldBy } from "./failure.ts"
import { serverAddress, toldAddress } from "./_server_address.ts"

/** The doors to one database. */
export class Database extends Context.Service<Database, {
  /**
   * For point and page reads: the statements of many fibers share connections. A statement is an answer on its own snapshot; one
   * that lost its connection is said again at once, so none may write.
   */
  readonly reads: SqlClient.SqlClient
  /** The same door, for answers whose rows are texts: the shortest way to one. */
  readonly values: Values
  /** For transactions and long statements: each has a connection of its own. */
  readonly writes: SqlClient.SqlClient
  /** For changes of the schema: one connection on which a statement may take any time. */
  readonly unhurried: SqlClient.SqlClient
}>()("rollup/sql/Database") {}

/** For what must not wait behind other work: the writer's sign of life, and word of new versions. */
export class Signals extends Context.Service<Signals, {
  /** A connection of its own. */
  readonly sql: SqlClient.SqlClient
  /** To open another one for listening. */
  readonly session: PgConnection.Config
}>()("rollup/sql/Signals") {}

export interface DatabaseOptions {
  /** `postgresql://user:password@host:5432/database`; parameters such as `sslmode` and `options` count. */
  readonly url: Redacted.Redacted
  /** Connections of this process at most, 4 or more; 16 by default. Two of them are for notifications and the writer's sign of life; one more is open while migrations are applied. */
  readonly maxConnections?: number
  /** How long the server works on one statement at most; 10 s by default. */
  readonly statementTimeoutMs?: number
  /** How long a statement or transaction waits for a connection; 2 s by default. Then it fails, and may be tried again. */
  readonly queueWaitMs?: number
  /** How long opening a connection may take; 3 s by default. */
  readonly connectTimeoutMs?: number
  /** How long a transaction may stand still, as that of a process that is frozen does; 10 s by default. Its locks are free afterwards. */
  readonly idleTransactionMs?: number
  /** What the server shows of the sessions; `rollup-node` by default. */
  readonly applicationName?: string
}

/** Statements that share a connection for reads: more of them go out in fewer writes, and each waits for the slowest before it. */
const readsSharing = 8

/**
 * Connects to a database. As long as it cannot be reached, starting waits for it and tells so; a database that refuses us is an
 * error. What is lost later is opened again with the next statement.
 */
export const databaseLayer = (
  options: DatabaseOptions
): Layer.Layer<Database | Signals, DatabaseError> =>
  Layer.effectContext(Effect.gen(function*() {
    const common = yield* clientOptions(options)
    const { maxConnections = 16 } = options
    const each = Math.max(2, maxConnections - 2)
    const client = (
      name: string,
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
    const { sql: reads, values } = yield* client("reads", {
      connections: Math.ceil(each / 2),
      sharing: readsSharing,
      retries: true
    })
    const { sql: writes } = yield* client("writes", {
      connections: Math.floor(each / 2),
      sharing: 1,
      retries: false
    })
    const { sql: signals } = yield* client("signals", { connections: 1, sharing: 1, retries: true })
    const { sql: unhurried } = yield* client("migration", {
      connections: 1,
      sharing: 1,
      retries: false,
      statementTimeoutMs: 0
    })
    yield* reached(signals, common)
    return Context.make(Database, { reads, values, writes, unhurried }).pipe(
      Context.add(Signals, { sql: signals, session: sessionOptions(common) })
    )
  }))

/** A door for reads to a copy of the database. It need not be reachable yet. */
export const replicaReads = (
  options: DatabaseOptions
): Effect.Effect<Client, DatabaseError, Scope.Scope> =>
  Effect.gen(function*() {
    const common = yield* clientOptions(options)
    const connections = Math.ceil(Math.max(2, (options.maxConnections ?? 16) - 2) / 2)
    return yield* Effect.orDie(
      makeClient({
        ...common,
        applicationName: `${common.applicationName} replica`,
        role: "replica",
        connections,
        sharing: readsSharing,
        retries: true
      })
    )
  })

const clientOptions = ({
  applicationName = "rollup-node",
  connectTimeoutMs = 3000,
  idleTransactionMs = 10_000,
  queueWaitMs = 2000,
  statementTimeoutMs = 10_000,
  url
}: DatabaseOptions) =>
  Effect.map(
    Effect.fromResult(serverAddress(url)),
    (address) => ({
      address,
      applicationName,
      connectTimeoutMs,
      idleTransactionMs,
      queueWaitMs,
      statementTimeoutMs,
      url
    })
  )

type CommonOptions = Effect.Success<ReturnType<typeof clientOptions>>

/** Listening holds its connection for good, without statements: it is opened beside the pools. */
const sessionOptions = (
  { applicationName, connectTimeoutMs, url }: CommonOptions
) => ({
  url,
  applicationName: `${applicationName} notifications`,
  connectTimeout: connectTimeoutMs,
  keepAlive: "15 seconds"
} as const)

/** Waits until the database answers. */
const reached = (
  sql: SqlClient.SqlClient,
  { address }: CommonOptions
): Effect.Effect<void, DatabaseError> =>
  sql.unsafe("SELECT 1").pipe(
    Effect.mapError((error) => ({
      error,
      told: `${toldAddress(address)} cannot be used: ${toldBy(error)}`,
      // it starts, is full, or is not there yet
      passes: isConnectionLost(error) || sqlState(error)?.startsWith("53") === true
    })),
    Effect.tapError(({ passes, told }) =>
      passes ? Effect.logWarning(`${told}; trying again until it answers`) : Effect.void
    ),
    Effect.retry({
      while: ({ passes }) => passes,
      schedule: Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("5 seconds")])
    }),
    Effect.mapError(({ error, told }) =>
      new DatabaseError({
        reason: "refused",
        message: `${told}; correct the URL, or the rights of its user`,
        cause: error
      })
    ),
    Effect.asVoid
  )
