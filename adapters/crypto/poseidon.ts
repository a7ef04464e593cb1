import { poseidon1 } from "poseidon-lite/poseidon1"
import { poseidon2 } from "poseidon-lite/poseidon2"
import { poseidon3 } from "poseidon-lite/poseidon3"
import { poseidon4 } from "poseidon-lite/poseidon4"
import { poseidon5 } from "poseidon-lite/poseidon5"
import { poseidon6 } from "poseidon-lite/poseidon6"

/**
 * Returns the Poseidon hash of 1 to 6 inputs over the scalar field of BN254 (x⁵, 8 full rounds, a
 * state of one element more than the inputs).
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
  const hash = HASHES[inputs.length - 1]
  if (hash === undefined) {
    throw new RangeError(`Poseidon of ${inputs.length} inputs, expected 1..${HASHES.length}`)
  }
  return hash([...inputs])
}

// Imported one by one: the package's main module decodes the constants of all sixteen widths.
const HASHES = [poseidon1, poseidon2, poseidon3, poseidon4, poseidon5, poseidon6]
