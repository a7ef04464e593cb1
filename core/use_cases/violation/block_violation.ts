import { Schema, Struct } from "effect"
import { type Invariant, invariants } from "./_invariants.ts"

export type { Invariant }

/** The names of all invariants of a write. */
export const invariantNames: ReadonlyArray<Invariant> = Struct.keys(invariants)

/**
 * A write contradicts the ledger or itself; nothing was stored. A retry cannot help: `message` says
 * what to do.
 *
 * It reports only the first violation: later ones would be checked against a state that does not
 * exist.
 */
export class BlockViolation extends Schema.TaggedError<BlockViolation>()("BlockViolation", {
  invariant: Schema.Literals(invariantNames),
  /** The offending value as text. */
  value: Schema.String,
  expected: Schema.String,
  /** JSON pointer into the input: `/batches/0/l2/3/nonce`. */
  place: Schema.String,
  /** All fields and the block in one sentence for logs. */
  message: Schema.String
}) {}

/**
 * Returns the violation of an invariant by a value: what was expected, and the place of the value
 * in the input.
 */
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

/** Returns the violation with the number of its block in the message. */
export function violationOfBlock(
  number: unknown,
  { _tag, message, ...fields }: BlockViolation
): BlockViolation {
  const block = typeof number === "bigint" ? `Block ${number}` : "Block without number"
  return new BlockViolation({
    ...fields,
    message: `${block}: ${message.slice(0, 1).toLowerCase()}${message.slice(1)}`
  })
}

/** Returns the violation with its place relative to an enclosing value. */
export const violationWithin = (
  { invariant, value, expected, place }: BlockViolation,
  prefix: string
): BlockViolation => violation(invariant, value, expected, prefix + place)
