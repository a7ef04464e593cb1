import { Schema, Struct } from "effect"
import { type Invariant, invariants } from "./_invariants.ts"

export type { Invariant }

/** The names of all invariants of a write. */
export const invariantNames: ReadonlyArray<Invariant> = Struct.keys(invariants)

/**
 * A write contradicts the ledger or itself, and nothing was stored. A retry cannot help; `message`
 * contains advice.
 *
 * It reports only the first violation: the state after an invalid part does not exist, so the parts
 * after it cannot be checked.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decideBlock } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { constants, block: { hash, number } } = genesis
 * const block = { number: number + 2n, hash, parentHash: hash, timestampMs: 0 }
 * const { view } = openMemoryLedger({ genesis })
 * const decision = decideBlock({ constants, keccak256 }, block)(view)
 * if (Result.isFailure(decision)) console.log(decision.failure.pointer) // => /number
 * ```
 */
export class BlockViolation extends Schema.TaggedError<BlockViolation>()("BlockViolation", {
  invariant: Schema.Literals(invariantNames),
  /** The offending value as text. */
  value: Schema.String,
  expected: Schema.String,
  /** JSON pointer into the input: `/batches/0/l2/3/nonce`. */
  pointer: Schema.String,
  /** All fields and the block in one sentence for logs. */
  message: Schema.String
}) {}

/** Returns the violation of an invariant by a value. `pointer` is its position in the input. */
export const makeViolation = (
  invariant: Invariant,
  value: string | number | bigint | boolean | null,
  expected: string,
  pointer: string
): BlockViolation => {
  const { subject, remedy } = invariants[invariant]
  return new BlockViolation({
    invariant,
    value: String(value),
    expected,
    pointer,
    message:
      `${subject} "${value}" at ${pointer}: expected ${expected}; ${remedy} (invariant ${invariant})`
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

/** Returns the violation with `prefix` before its pointer. */
export const violationWithin = (
  { invariant, value, expected, pointer }: BlockViolation,
  prefix: string
): BlockViolation => makeViolation(invariant, value, expected, prefix + pointer)
