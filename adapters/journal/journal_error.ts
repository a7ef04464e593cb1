import { Data } from "effect"

/** A data directory cannot be used, in a sentence that names it and says what to do. Nothing in it was changed. */
export class JournalError extends Data.TaggedError("JournalError")<{
  readonly reason:
    | "directory"
    | "inUse"
    | "foreign"
    | "newer"
    | "otherNetwork"
    | "damaged"
    | "missing"
  readonly message: string
  readonly cause?: unknown
}> {}
