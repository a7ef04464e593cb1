import { Data } from "effect"
import { SqlError } from "effect/sql"
import { StoreFailure } from "../../../core/ports/mod.ts"

/** A database cannot be used, in a sentence that says what to do. Nothing in it was changed. */
export class DatabaseError extends Data.TaggedError("DatabaseError")<{
  readonly reason: "url" | "refused" | "migrationChanged" | "newer" | "otherNetwork"
  readonly message: string
  readonly cause?: unknown
}> {}

/** What the database said, as the ports tell it. */
export const storeFailure = (error: SqlError.SqlError): StoreFailure =>
  new StoreFailure({
    message: `The database does not answer as expected: ${toldBy(error)}`,
    retry: mayHelp(error),
    cause: error
  })

/** Whether the connection is gone, or could not be made: the statement may have taken effect, another connection may fare better. */
export const isConnectionLost = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError"
    ? error.reason.operation !== waitOperation
    : lostStates.has(sqlState(error) ?? "")

/** Whether the same call may succeed later. */
const mayHelp = (error: SqlError.SqlError): boolean =>
  error.isRetryable || isConnectionLost(error) || passingStates.test(sqlState(error) ?? "")

/** What PostgreSQL calls the error: five letters and digits, see "PostgreSQL Error Codes" of its manual. */
export const sqlState = ({ reason }: SqlError.SqlError): string | undefined => {
  const code = causeOf(reason)?.code
  return typeof code === "string" ? code : undefined
}

/** Our own: a wait was too long. It may be tried again later, and not at once. */
export const waitFailure = (message: string): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      operation: waitOperation,
      message,
      cause: new Error(message)
    })
  })
const waitOperation = "wait"

/** The driver takes these for unknown: the server is told to stop, has crashed or starts, or ended a session that stood still. */
const lostStates: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "25P03"])

/** Out of connections, memory or disk; a standby that may be promoted. */
const passingStates = /^(?:53|25006$)/u

/** The sentence of the innermost cause: that of the driver only says what it was about to do. */
export const toldBy = ({ message, reason }: SqlError.SqlError): string => {
  const cause = causeOf(reason)
  // a host with several addresses fails with an error that has no message of its own
  const told = typeof cause?.message === "string" && cause.message !== ""
    ? cause.message
    : cause?.code
  return typeof told === "string" ? told : message
}

const causeOf = ({ cause }: { readonly cause?: unknown }) =>
  cause as { readonly message?: unknown; readonly code?: unknown } | undefined
