import { type FixedHash, fixedPoseidon, INPUTS_MAX } from "./_permutation.ts"

/**
 * Returns the Poseidon hash of 1 to 6 inputs over the scalar field of BN254 (PROTOCOL.md "Poseidon").
 *
 * Inputs must not be negative and are reduced modulo the field; the result is below it. Throws a
 * RangeError for another number of inputs.
 *
 * @example
 * ```ts
 * import { poseidon } from "rollup-node-api/crypto"
 *
 * console.log(poseidon([1n]) >> 200n) // => 11566179439782242n
 * ```
 */
export function poseidon(inputs: ReadonlyArray<bigint>): bigint {
  const { length } = inputs
  if (length < 1 || length > INPUTS_MAX) {
    throw new RangeError(`Poseidon of ${length} inputs, expected 1..${INPUTS_MAX}`)
  }
  return (hashes[length] ??= fixedPoseidon(length))(inputs)
}

const hashes: Array<FixedHash | undefined> = []
