import { Data, Effect } from "effect"
import { SqlError } from "effect/sql"
import { StoreFailure } from "../../../core/ports/mod.ts"

/**
 * The database cannot be used: the URL is invalid ("url"), the server rejects the connection
 * ("refused") or does not answer ("unreachable"), an applied migration has another text
 * ("migrationChanged") or is unknown ("newer"), or the ledger is of another network or the replica is
 * no copy of the database ("otherNetwork"). `message` says what to do. Nothing in the database was
 * changed.
 *
 * @example
 * ```ts
 * import { Effect, Layer, Redacted } from "effect"
 * import { databaseLayer } from "rollup-node-api/sql"
 *
 * const database = databaseLayer({ url: Redacted.make("mysql://localhost/rollup") })
 * const open = Layer.build(database).pipe(
 *   Effect.as("open"),
 *   Effect.catchTag("DatabaseError", ({ reason }) => Effect.succeed(reason))
 * )
 * console.log(await Effect.runPromise(Effect.scoped(open))) // => url
 * ```
 */
export class DatabaseError extends Data.TaggedError("DatabaseError")<{
  readonly reason: "url" | "refused" | "unreachable" | "migrationChanged" | "newer" | "otherNetwork"
  readonly message: string
  readonly cause?: unknown
}> {}

/** Returns the failure of a port for an error of the database. */
export const storeFailure = (error: SqlError.SqlError): StoreFailure =>
  new StoreFailure({
    message: `The database failed: ${causeMessage(error)}`,
    retry: isRetryable(error),
    cause: error
  })

/**
 * Whether the connection was lost or could not be opened. The statement may have taken effect, and
 * a retry on another connection may succeed.
 */
export const isConnectionLost = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError"
    ? error.reason.operation !== waitOperation && !isEncryptionRefused(error)
    : lostStates.has(sqlState(error) ?? "")

/** Whether a retry may succeed later: also a login, which succeeded when the program started. */
const isRetryable = (error: SqlError.SqlError): boolean =>
  !isEncryptionRefused(error) &&
  (error.isRetryable || isConnectionLost(error) || cannotWrite(error) || isConnectionRefused(error))

/**
 * Whether an encrypted connection is required and cannot be opened: the server does not support
 * TLS, or its certificate is not trusted. A retry fails in the same way.
 */
export const isEncryptionRefused = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError" &&
  (error.reason.message === "PgConnection: Server refused TLS" ||
    certificateCodes.test(sqlState(error) ?? ""))

/**
 * Whether the server refuses every connection: for its encryption, its user or password, or because
 * the database does not exist.
 */
export const isConnectionRefused = (error: SqlError.SqlError): boolean =>
  isEncryptionRefused(error) || /^(?:28|3D)/u.test(sqlState(error) ?? "")

/** Codes of Node and OpenSSL for certificates that are not trusted. */
const certificateCodes = /CERT|^(?:ERR_(?:TLS|SSL)_|HOSTNAME_MISMATCH$)/u

/**
 * Returns the SQLSTATE of an error (see "PostgreSQL Error Codes" in the manual), or Node's code for
 * an error of the connection.
 */
export const sqlState = ({ reason }: SqlError.SqlError): string | undefined => {
  const code = causeOf(reason)?.code
  return typeof code === "string" ? code : undefined
}

/** Returns the error of a wait that timed out; it can be retried, but not at once. */
export const waitFailure = (message: string): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      operation: waitOperation,
      message,
      cause: new Error(message)
    })
  })
const waitOperation = "wait"

/**
 * States of a lost connection that the driver does not classify: the server shuts down, has crashed
 * or starts up, or has ended an idle session or transaction.
 */
const lostStates: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "25P03"])

/**
 * Whether the server refused to write, because it is a standby or is read-only. Nothing was written.
 * A new connection may reach a server that writes.
 */
export const isReadOnly = (error: SqlError.SqlError): boolean => sqlState(error) === "25006"

/**
 * Whether the server cannot write at present: it is read-only, or out of connections, memory or disk
 * space. A retry may succeed, but rarely within seconds.
 */
export const cannotWrite = (error: SqlError.SqlError): boolean =>
  isReadOnly(error) || sqlState(error)?.startsWith("53") === true

/**
 * Runs a write again, once, if the server refused it because it is read-only: the connections of the
 * client have been replaced by then.
 */
export const retryOnNewConnection = <A, E, R>(
  write: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.retry(write, {
    while: (error) => SqlError.isSqlError(error) && isReadOnly(error),
    times: 1
  })

/** Returns the message of the cause: that of the driver only names the operation. */
export const causeMessage = ({ message, reason }: SqlError.SqlError): string => {
  const cause = causeOf(reason)
  // the error of a host with several addresses has a code and no message
  const text = typeof cause?.message === "string" && cause.message !== ""
    ? cause.message
    : cause?.code
  return typeof text === "string" ? text : message
}

const causeOf = ({ cause }: { readonly cause?: unknown }) =>
  cause as { readonly message?: unknown; readonly code?: unknown } | undefined
