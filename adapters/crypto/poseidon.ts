import { babyjubjub } from "@noble/curves/misc.js"
import { ELEMENT_BYTES, LIMB_BITS, LIMBS, limbsOf, PLACES, type PoseidonCode, poseidonCode } from "./_poseidon_code.ts"
import { constantsOf, FULL_ROUNDS, type Hash, PARTIAL_ROUNDS, portableHash } from "./_poseidon_portable.ts"

/**
 * Poseidon over the scalar field of BN254 (x⁵, 8 full rounds, state one wider than the inputs), of 1 to 6 inputs.
 *
 * Inputs are not negative and count modulo the field; the result is below it. Throws a RangeError on another number of inputs.
 */
export function poseidon(inputs: ReadonlyArray<bigint>): bigint {
  const count = inputs.length
  if (count < 1 || count > INPUTS_MAX) throw new RangeError(`Poseidon of ${count} inputs, expected 1..${INPUTS_MAX}`)
  const hash = hashes[count] ??= CODE === undefined ? portableHash(count) : compiledHash(CODE, count)
  return hash(inputs.map((input) => input < P ? input : input % P))
}

/** By the number of inputs, made when first asked for. */
const hashes: Array<Hash | undefined> = []

const INPUTS_MAX = PARTIAL_ROUNDS.length
const P = babyjubjub.Point.Fp.ORDER

/** Room for the state and the constants of all widths, some 2,000 elements. */
const PAGES = 3
const CODE = poseidonCode(P, PAGES)
const STATE = PLACES.free
let free = STATE + 2 * (INPUTS_MAX + 1) * ELEMENT_BYTES

function compiledHash({ memory, permute }: PoseidonCode, inputs: number): Hash {
  const wides = new BigUint64Array(memory.buffer)
  const put = (value: bigint, place: number) => wides.set(limbsOf(value), place / 8)
  put(1n, PLACES.one)
  put(inForm(inForm(1n)), PLACES.intoForm)
  const { mds, roundConstants } = constantsOf(inputs)
  const constants = free
  for (const value of [...mds.flat(), ...roundConstants.flat()]) {
    put(inForm(value), free)
    free += ELEMENT_BYTES
  }
  // a row of zeros, as the memory is
  free += (inputs + 1) * ELEMENT_BYTES
  const rounds = roundConstants.length
  const firstPartial = FULL_ROUNDS / 2
  return (values) => {
    wides.fill(0n, STATE / 8, STATE / 8 + LIMBS)
    for (const [i, value] of values.entries()) put(value, STATE + (i + 1) * ELEMENT_BYTES)
    permute(STATE, inputs + 1, constants, rounds, firstPartial, rounds - firstPartial - 1)
    let hash = 0n
    for (let limb = LIMBS - 1; limb >= 0; limb--) hash = (hash << BigInt(LIMB_BITS)) | wides[STATE / 8 + limb]!
    return hash < P ? hash : hash - P
  }
}

/** Montgomery's: times 2^261. */
function inForm(value: bigint): bigint {
  return (value << BigInt(LIMB_BITS * LIMBS)) % P
}
