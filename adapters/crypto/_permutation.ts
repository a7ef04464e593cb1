import { grainGenConstants } from "@noble/curves/abstract/poseidon.js"
import { babyjubjub } from "@noble/curves/misc.js"

/** A hash of a fixed number of inputs. */
export type FixedHash = (inputs: ReadonlyArray<bigint>) => bigint

/** The numbers of inputs that `fixedPoseidon` hashes: 1 to this. */
export const INPUTS_MAX = 6

/**
 * Returns the Poseidon hash of a number of inputs, 1 to 6. The published constants are generated
 * from the parameters of the hash: they are 63 kB of random numbers, which no browser should
 * download.
 */
export function fixedPoseidon(inputs: number): FixedHash {
  const roundsPartial = ROUNDS_PARTIAL[inputs - 1]!
  const { mds, roundConstants } = grainGenConstants({
    Fp,
    t: inputs + 1,
    roundsFull: ROUNDS_FULL,
    roundsPartial
  })
  return (values) => {
    let state: Array<bigint> = [0n, ...values]
    roundConstants.forEach((constants, round) => {
      const isPartial = round >= ROUNDS_FULL / 2 && round < ROUNDS_FULL / 2 + roundsPartial
      const substituted = state.map((value, i) => {
        const sum = value + constants[i]!
        return isPartial && i > 0 ? sum : fifthPower(sum)
      })
      state = mds.map((row) => {
        let sum = 0n
        for (let i = 0; i < row.length; i++) sum += row[i]! * substituted[i]!
        return sum % ORDER
      })
    })
    return state[0]!
  }
}

/** The scalar field of BN254, over which the curve BabyJubJub is defined. */
const { Fp } = babyjubjub.Point
const { ORDER } = Fp
const ROUNDS_FULL = 8
/** The number of partial rounds by number of inputs. */
const ROUNDS_PARTIAL = [56, 57, 56, 60, 60, 63]

function fifthPower(value: bigint): bigint {
  const square = value * value % ORDER
  return square * square % ORDER * value % ORDER
}
