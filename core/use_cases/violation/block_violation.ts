import { Schema, Struct } from "effect"
import { type Invariant, invariants } from "./_invariants.ts"

export type { Invariant }

/** The names of all invariants that a write is checked against. */
export const invariantNames: ReadonlyArray<Invariant> = Struct.keys(invariants)

/**
 * A write contradicts the ledger or itself; nothing of it was stored. Sending the same again cannot help: `message` says what to do.
 *
 * Only the first violation is told, since what follows it is judged on a state that does not exist.
 */
export class BlockViolation extends Schema.TaggedError<BlockViolation>()("BlockViolation", {
  invariant: Schema.Literals(invariantNames),
  /** The offending value as text. */
  value: Schema.String,
  expected: Schema.String,
  /** JSON pointer into what was sent: `/batches/0/l2/3/nonce`. */
  place: Schema.String,
  /** All of it, and of which block: enough for a log. */
  message: Schema.String
}) {}

/** Names the value that breaks an invariant, what was expected instead, and where it stands. */
export const violation = (
  invariant: Invariant,
  value: string | number | bigint | boolean | null,
  expected: string,
  place: string
): BlockViolation => {
  const { subject, remedy } = invariants[invariant]
  return new BlockViolation({
    invariant,
    value: String(value),
    expected,
    place,
    message:
      `${subject} "${value}" at ${place}: expected ${expected}; ${remedy} (invariant ${invariant})`
  })
}

/** The same violation, named by the block that it is one of: a line of a log says which. */
export function violationOfBlock(
  number: unknown,
  { _tag, message, ...said }: BlockViolation
): BlockViolation {
  const block = typeof number === "bigint" ? `Block ${number}` : "Block without number"
  return new BlockViolation({
    ...said,
    message: `${block}: ${message.slice(0, 1).toLowerCase()}${message.slice(1)}`
  })
}

/** The same violation, seen from a whole of which the first place is a part. */
export const violationWithin = (
  { invariant, value, expected, place }: BlockViolation,
  prefix: string
): BlockViolation => violation(invariant, value, expected, prefix + place)
