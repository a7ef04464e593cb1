import { Cause, Data } from "effect"

/**
 * The exit codes of the program. A restart with the same settings cannot cure a failure with
 * `isLasting`.
 */
export const exitCodes = {
  success: { code: 0, doc: "success; a server stopped after a signal" },
  unexpected: { code: 1, doc: "unexpected error; the cause is printed" },
  usage: {
    code: 2,
    isLasting: true,
    doc: "invalid command line, environment variable or configuration file; nothing was done"
  },
  inUse: {
    code: 3,
    doc: "the port is not available, or another process uses the data directory"
  },
  store: {
    code: 4,
    isLasting: true,
    doc:
      "the data directory or the database is unavailable, damaged, or belongs to another network; or the directory was moved, removed or replaced"
  },
  refused: {
    code: 5,
    isLasting: true,
    doc: "a feed, file or transaction was refused"
  },
  violations: { code: 6, doc: "verification found violations; each is printed" },
  memory: {
    code: 7,
    isLasting: true,
    doc: "the data do not fit into the JavaScript heap; the message says how much a start needs"
  }
} as const

/** The name of an exit code. */
export type ExitReason = keyof typeof exitCodes

/** A failure that ends the program with an exit code and a message for the user. */
export class ProgramFailure extends Data.TaggedError("ProgramFailure")<
  { readonly exitReason: ExitReason; readonly message: string; readonly cause?: unknown }
> {}

/** Returns the failure with its message for the user, or undefined if the error is unexpected. */
export const programFailure = (cause: Cause.Cause<unknown>): ProgramFailure | undefined => {
  const error = Cause.squash(cause)
  if (error instanceof ProgramFailure) return error
  if (!(error instanceof Error)) return undefined
  const exitReason = exitReasonOf(error)
  const message = (error as KnownError).syscall === "uv_cwd"
    ? "The working directory was removed: change to another one, or name the data directory by an absolute path"
    : error.message
  return exitReason && new ProgramFailure({ exitReason, message, cause: error })
}

type KnownError = Error & { readonly [Name in "_tag" | "reason" | "syscall"]?: unknown }

const exitReasonOf = ({ _tag, reason, syscall }: KnownError): ExitReason | undefined => {
  if (syscall === "uv_cwd") return "store"
  switch (_tag) {
    case "JournalError":
      return reason === "inUse" ? "inUse" : "store"
    case "DatabaseError":
      return reason === "url" ? "usage" : "store"
    case "StoreFailure":
      return "store"
    case "CurrencyFileError":
    case "FeedFileError":
    case "BlockViolation":
      return "refused"
  }
  return undefined
}
