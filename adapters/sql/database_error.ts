import { Data } from "effect"

/** A database cannot be used, in a sentence that says what to do. Nothing in it was changed. */
export class DatabaseError extends Data.TaggedError("DatabaseError")<{
  readonly reason: "url" | "refused" | "migrationChanged" | "newer" | "otherNetwork"
  readonly message: string
  readonly cause?: unknown
}> {}
