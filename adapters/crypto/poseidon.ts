import { poseidon1 } from "poseidon-lite/poseidon1"
import { poseidon2 } from "poseidon-lite/poseidon2"
import { poseidon3 } from "poseidon-lite/poseidon3"
import { poseidon4 } from "poseidon-lite/poseidon4"
import { poseidon5 } from "poseidon-lite/poseidon5"
import { poseidon6 } from "poseidon-lite/poseidon6"

/**
 * Poseidon over the scalar field of BN254 (x⁵, 8 full rounds, state one wider than the inputs), of 1 to 6 inputs.
 *
 * Inputs are not negative and count modulo the field; the result is below it. Throws a RangeError on another number of inputs.
 */
export function poseidon(inputs: ReadonlyArray<bigint>): bigint {
  const hash = HASHES[inputs.length - 1]
  if (hash === undefined) {
    throw new RangeError(`Poseidon of ${inputs.length} inputs, expected 1..${HASHES.length}`)
  }
  return hash([...inputs])
}

// Single modules, because the barrel decodes the constants of all sixteen widths when it loads.
const HASHES = [poseidon1, poseidon2, poseidon3, poseidon4, poseidon5, poseidon6]
