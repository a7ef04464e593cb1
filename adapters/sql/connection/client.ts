import { PgClient, PgPool } from "@effect/sql-pg"
import { Context, Effect, type Fiber, Option, type Redacted, type Scope, Tracer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { measure } from "../../../core/ports/mod.ts"
import { clientMetrics } from "./_client_metrics.ts"
import { commit, connectionOf, transactionConnectionOf } from "./_connection.ts"
import { makeConnectionLimiter } from "./_connection_limiter.ts"
import { isConnectionLost, sqlState, waitFailure } from "./failure.ts"
import type { ServerAddress } from "./_server_address.ts"
import { socketTo } from "./_socket.ts"
import { withTimeout } from "./_with_timeout.ts"

export interface ClientOptions {
  readonly url: Redacted.Redacted
  readonly address: ServerAddress
  /** What the server shows of the sessions. */
  readonly applicationName: string
  /** What the connections are for, as metrics name it. */
  readonly role: string
  readonly connections: number
  /** Statements that share a connection; 1 where each has its own, and transactions are possible. */
  readonly sharing: number
  readonly connectTimeoutMs: number
  /** 0 for any time. */
  readonly statementTimeoutMs: number
  /** How long a transaction may stand still; its locks are free afterwards. */
  readonly idleTransactionMs: number
  readonly queueWaitMs: number
  /** Whether a statement that lost its connection is said again at once, on another one, and not waited for beyond its time. True only where that can do no harm. */
  readonly retries: boolean
}

/** How much longer than a statement may take the server may be silent before it is given up. */
const silenceMs = 5000
/** How much longer than a statement may take a reader waits, since the server works on those of a shared connection one by one. */
const sharedMs = 500
/** Statements that a connection keeps prepared. */
const preparedMax = 500

/**
 * Reads probe indexes, whatever their parameters: one plan for each statement, made once. To plan them again for each key takes longer
 * than to execute them, and a plan that was made while tables were small must not scan them when they are large.
 */
export const readPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off"
}

/** The rows of a statement that reads, each as what its columns hold. */
export type Values = (
  text: string,
  parameters: ReadonlyArray<string | null>
) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>

export interface Client {
  readonly sql: SqlClient.SqlClient
  /** What `sql.unsafe(text, parameters).values` answers, without what a span and the builder of statements cost where nobody traces. */
  readonly values: Values
}

/**
 * A client of one pool of connections, opened when they are needed. The driver's own client lets statements wait for a connection
 * for any time, and turns a transaction whose connection is lost into a defect.
 */
export const makeClient = (
  options: ClientOptions
): Effect.Effect<Client, SqlError.SqlError, Scope.Scope> =>
  Effect.gen(function*() {
    const { address, connections, retries, sharing } = options
    const pool = yield* PgPool.make({
      url: options.url,
      applicationName: options.applicationName,
      startupParameters: {
        statement_timeout: String(options.statementTimeoutMs),
        idle_in_transaction_session_timeout: String(options.idleTransactionMs),
        ...retries ? readPlans : {}
      },
      // 0 is no bound to the socket either
      stream: () =>
        socketTo(
          address,
          options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + silenceMs
        ),
      connectTimeout: options.connectTimeoutMs,
      maxConnections: connections,
      multiplex: sharing > 1,
      multiplexConcurrency: sharing,
      preparedStatementCacheSize: preparedMax
    })
    const limiter = makeConnectionLimiter({
      connections,
      permits: connections * sharing,
      waitMs: options.queueWaitMs
    })
    let cancelled = 0
    const noticed = (error: SqlError.SqlError): void => {
      if (sqlState(error) === queryCanceled) cancelled++
    }
    yield* measure(...clientMetrics(options, limiter.stats, () => cancelled))
    const answerMs = options.statementTimeoutMs + sharedMs
    const late = Effect.suspend(() => {
      cancelled++
      return Effect.fail(
        waitFailure(
          `No answer came within ${answerMs} ms, expected one: the connections are busy with slow statements, try again`
        )
      )
    })
    const answered = <A, E, R>(
      use: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | SqlError.SqlError, R> => {
      const statement = pool.use((session) => use(connectionOf(session, noticed)))
      if (!retries) return statement
      return withTimeout(Effect.catchIf(statement, isLost, () => statement), answerMs, late)
    }
    const sql = yield* SqlClient.make({
      driver: "postgresql",
      compiler: PgClient.makeCompiler(),
      acquirer: Effect.andThen(
        limiter.scopedPermit,
        Effect.map(pool.get, (session) => connectionOf(session, noticed))
      ),
      borrower: (use) => limiter.withPermit(answered(use)),
      transactionAcquirer: Effect.andThen(
        limiter.scopedPermit,
        Effect.map(pool.reserve, (session) => transactionConnectionOf(session, noticed))
      ),
      prepareTransactionControls: true,
      commit,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: [
        ["db.system.name", "postgresql"],
        ["db.namespace", address.database],
        ["server.address", address.host],
        ["server.port", address.port]
      ]
    }).pipe(Effect.provide(Reactivity.layer))
    const values: Values = (text, parameters) =>
      Effect.withFiber((fiber) =>
        isTraced(fiber)
          ? sql.unsafe(text, parameters).values
          : limiter.withPermit(answered((connection) => connection.executeValues(text, parameters)))
      )
    return { sql, values }
  })

const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  Option.isSome(Context.getOption(fiber.context, Tracer.ParentSpan))

/** A statement took longer than it may. */
const queryCanceled = "57014"

const isLost = (error: unknown): boolean =>
  error instanceof SqlError.SqlError && isConnectionLost(error)
