import { Cause, Data } from "effect"

/** The exit codes of the program. */
export const exitCodes = {
  done: { code: 0, doc: "success; a server stopped after a signal" },
  unexpected: { code: 1, doc: "unexpected error; the cause is printed" },
  usage: {
    code: 2,
    doc: "invalid command line, environment variable or configuration file; nothing was done"
  },
  taken: {
    code: 3,
    doc: "the port is not available, or another process uses the data directory"
  },
  store: {
    code: 4,
    doc: "the data directory or the database is unavailable, damaged, or belongs to another network"
  },
  refused: {
    code: 5,
    doc: "a feed, file or transaction was refused"
  },
  unsound: { code: 6, doc: "verification found violations; each is printed" }
} as const

export type Ending = keyof typeof exitCodes

/** Ends the program with an exit code and a message for the user. */
export class ProgramFailure extends Data.TaggedError("ProgramFailure")<
  { readonly ending: Ending; readonly message: string; readonly cause?: unknown }
> {}

/** Returns the failure with its message for the user, or undefined if the error is unexpected. */
export const programFailure = (cause: Cause.Cause<unknown>): ProgramFailure | undefined => {
  const error = Cause.squash(cause)
  if (error instanceof ProgramFailure) return error
  const ending = error instanceof Error && "_tag" in error ? endingOf(error as Tagged) : undefined
  return ending === undefined
    ? undefined
    : new ProgramFailure({ ending, message: (error as Error).message, cause: error })
}

type Tagged = Error & { readonly _tag: string; readonly reason?: unknown }

const endingOf = ({ _tag, reason }: Tagged): Ending | undefined => {
  switch (_tag) {
    case "JournalError":
      return reason === "inUse" ? "taken" : "store"
    case "DatabaseError":
      return reason === "url" ? "usage" : "store"
    case "StoreFailure":
      return "store"
    case "FeedFileError":
    case "BlockViolation":
    case "TransferFailed":
      return "refused"
  }
  return undefined
}
