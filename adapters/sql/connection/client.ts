import { measure } from "../../../core/ports/mod.ts"
import { clientMetrics } from "./_client_metrics.ts"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Fiber, Option, type Redacted, Scope, Tracer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { isConnectionLost, isReadOnly, sqlState, waitFailure } from "./failure.ts"
import { openSocket, type ServerAddress } from "./_server_address.ts"
import {
  commit,
  connectionOf,
  makeConnectionLimiter,
  makeSessionPool,
  type SessionPool,
  transactionConnectionOf
} from "./_session_pool.ts"

export interface ClientOptions {
  readonly url: Redacted.Redacted
  readonly address: ServerAddress
  /** Name of the sessions in `pg_stat_activity`. */
  readonly applicationName: string
  /** Label of the client in metrics. */
  readonly role: string
  readonly connections: number
  /**
   * Statements that share a connection. If it is 1, each has its own, and transactions are
   * possible.
   */
  readonly sharing: number
  readonly connectTimeoutMs: number
  /** Greatest duration of a statement on the server; 0 for none, if `retries` is false. */
  readonly statementTimeoutMs: number
  /** Greatest idle time of an open transaction; then the server ends the session. */
  readonly idleTransactionMs: number
  /** Greatest time to wait for a connection. */
  readonly queueWaitMs: number
  /**
   * Whether a statement is retried once, on another connection, if its connection is lost or
   * read-only, and fails if it is not answered in time. True only for statements that do not write,
   * or that may run twice.
   */
  readonly retries: boolean
}

/** Time after the statement timeout at which the socket of a silent server is destroyed. */
const silenceMs = 5000
/**
 * Time after the statement timeout at which a statement with `retries` fails. The server executes
 * the statements of a shared connection one by one.
 */
const sharedMs = 500
/** Prepared statements that a connection caches. */
const preparedMax = 500

/**
 * Session settings for reads: one generic plan for each statement, which reads indexes in their
 * order, whatever the parameters are. Planning a statement again takes longer than executing it, and
 * a plan that was made while tables were small must not scan them when they are large.
 */
export const readPlans = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off"
}

/**
 * Runs a statement that does not write, and returns each row as an array of column values.
 *
 * @param isExclusive the statement is slow: no other one shares its connection and waits behind it
 */
export type Values = (
  text: string,
  parameters: ReadonlyArray<string | null>,
  isExclusive?: boolean
) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>

export interface Client {
  readonly sql: SqlClient.SqlClient
  /**
   * Returns the same as `sql.unsafe(text, parameters).values`, without the cost of a span and of
   * the statement builder if the fiber is not traced.
   */
  readonly values: Values
  /** Replaces the connections: statements that begin afterwards use new ones. */
  readonly replaceConnections: () => void
}

/**
 * Makes a client of one pool of connections, which are opened on demand. Unlike the client of the
 * driver, it bounds the wait for a connection, and a transaction whose connection is lost fails
 * instead of dying with a defect. If a statement fails because the server is read-only, all
 * connections are replaced: a connection that was opened to a standby, or while the database was
 * read-only, can stay read-only for as long as it is open.
 */
export const makeClient = (
  options: ClientOptions
): Effect.Effect<Client, SqlError.SqlError, Scope.Scope> =>
  Effect.gen(function*() {
    const { connections, sharing } = options
    const pool = yield* openSessions(options)
    const limiter = makeConnectionLimiter({
      connections,
      permits: connections * sharing,
      waitMs: options.queueWaitMs
    })
    const runner = new StatementRunner(options, pool)
    yield* measure(...clientMetrics(options, limiter.stats, () => runner.cancelled))
    const sql = yield* openSqlClient(options, pool, limiter, runner)
    const values: Values = (text, parameters, isExclusive = false) =>
      Effect.withFiber((fiber) =>
        isTraced(fiber) && !isExclusive
          ? sql.unsafe(text, parameters).values
          : limiter.withPermit(
            runner.run((connection) => connection.executeValues(text, parameters), isExclusive)
          )
      )
    return { sql, values, replaceConnections: pool.replaceAll }
  })

const openSessions = (options: ClientOptions) =>
  makeSessionPool({
    url: options.url,
    applicationName: options.applicationName,
    startupParameters: {
      statement_timeout: String(options.statementTimeoutMs),
      // a statement sees what was committed while it waited for a lock, whatever the database sets
      default_transaction_isolation: "read committed",
      idle_in_transaction_session_timeout: String(options.idleTransactionMs),
      ...options.retries ? readPlans : {}
    },
    // without a statement timeout the socket has none either
    stream: () =>
      openSocket(
        options.address,
        options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + silenceMs
      ),
    connectTimeout: options.connectTimeoutMs,
    maxConnections: options.connections,
    multiplex: options.sharing > 1,
    multiplexConcurrency: options.sharing,
    preparedStatementCacheSize: preparedMax
  })

const openSqlClient = (
  { address }: ClientOptions,
  pool: SessionPool,
  limiter: ReturnType<typeof makeConnectionLimiter>,
  runner: StatementRunner
): Effect.Effect<SqlClient.SqlClient> =>
  SqlClient.make({
    driver: "postgresql",
    compiler: PgClient.makeCompiler(),
    acquirer: Effect.andThen(
      limiter.scopedPermit,
      Effect.map(pool.get, (session) => connectionOf(session, runner.onError))
    ),
    borrower: (use) => limiter.withPermit(runner.run(use)),
    transactionAcquirer: Effect.andThen(
      limiter.scopedPermit,
      Effect.map(pool.reserve, (session) => transactionConnectionOf(session, runner.onError))
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

/** Runs single statements on the connections of a pool. */
class StatementRunner {
  readonly #pool: SessionPool
  readonly #retries: boolean
  readonly #answerMs: number
  /** Number of statements that exceeded their time. */
  cancelled = 0

  constructor({ retries, statementTimeoutMs }: ClientOptions, pool: SessionPool) {
    this.#pool = pool
    this.#retries = retries
    this.#answerMs = statementTimeoutMs + sharedMs
  }

  run<A, E, R>(
    use: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>,
    isExclusive = false
  ): Effect.Effect<A, E | SqlError.SqlError, R> {
    const session = isExclusive ? this.#pool.reserve : this.#pool.get
    const statement = Effect.scopedWith((scope) =>
      Effect.flatMap(
        Scope.provide(session, scope),
        (session) => use(connectionOf(session, this.onError))
      )
    )
    if (!this.#retries) return statement
    return withTimeout(
      Effect.catchIf(statement, mayWorkElsewhere, () => statement),
      this.#answerMs,
      this.#answerTimeout
    )
  }

  readonly onError = (error: SqlError.SqlError): void => {
    if (sqlState(error) === queryCanceled) this.cancelled++
    if (isReadOnly(error)) this.#pool.replaceAll()
  }

  readonly #answerTimeout = Effect.suspend(() => {
    this.cancelled++
    return Effect.fail(
      waitFailure(
        `The database did not respond within ${this.#answerMs} ms, because slow statements occupy the connections: try again`
      )
    )
  })
}

const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  Option.isSome(Context.getOption(fiber.context, Tracer.ParentSpan))

/** SQLSTATE of a statement that exceeded the statement timeout. */
const queryCanceled = "57014"

/** Whether a statement may succeed on another connection. */
const mayWorkElsewhere = (error: unknown): boolean =>
  error instanceof SqlError.SqlError && (isConnectionLost(error) || isReadOnly(error))

/**
 * Runs an effect; after `ms` it interrupts the effect, without waiting for it, and runs
 * `onTimeout`. Every read runs through it: it costs a fraction of `Effect.timeoutOrElse`.
 */
const withTimeout = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  ms: number,
  onTimeout: Effect.Effect<never, E>
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context) =>
    Effect.callback<A, E, R>((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const timer = setTimeout(() => {
        // resume first: the fiber may end during the interruption
        resume(onTimeout)
        fiber.interruptUnsafe()
      }, ms)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return Effect.suspend(() => {
        clearTimeout(timer)
        return Fiber.interrupt(fiber)
      })
    })
  )
