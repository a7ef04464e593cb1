import { Cause, Data } from "effect"

/** How the program ends, for whoever supervises it. */
export const exitCodes = {
  done: { code: 0, doc: "done; a server that was told to stop has stopped" },
  unexpected: { code: 1, doc: "something that nobody expected: the cause is told" },
  usage: {
    code: 2,
    doc:
      "the command line, a variable or the configuration file has to be corrected; nothing was done"
  },
  taken: {
    code: 3,
    doc: "the port cannot be listened on, or another process holds the data directory"
  },
  store: {
    code: 4,
    doc:
      "the directory or the database cannot be used: it refuses, is damaged, or holds something else"
  },
  refused: {
    code: 5,
    doc: "what was to be read, written or sent was refused: a feed, a file, a transaction"
  },
  unsound: { code: 6, doc: "what was verified is not as it has to be: each violation is told" }
} as const

export type Ending = keyof typeof exitCodes

/** Ends the program with a sentence for its user. */
export class ProgramFailure extends Data.TaggedError("ProgramFailure")<
  { readonly ending: Ending; readonly message: string; readonly cause?: unknown }
> {}

/** What failed, as the user is told; undefined where nobody expected it. */
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
