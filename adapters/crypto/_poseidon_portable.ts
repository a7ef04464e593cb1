import { grainGenConstants, poseidon } from "@noble/curves/abstract/poseidon.js"
import { babyjubjub } from "@noble/curves/misc.js"

/** Of a fixed number of inputs below the modulus. */
export type Hash = (inputs: ReadonlyArray<bigint>) => bigint

export const FULL_ROUNDS = 8

/** By the number of inputs. */
export const PARTIAL_ROUNDS: ReadonlyArray<number> = [56, 57, 56, 60, 60, 63]

/** The matrix and the constants of the rounds; they are generated, which takes tens of milliseconds. */
export function constantsOf(inputs: number) {
  return grainGenConstants({ Fp, t: inputs + 1, roundsFull: FULL_ROUNDS, roundsPartial: PARTIAL_ROUNDS[inputs - 1]! })
}

/** The hash of so many inputs where no code can be compiled. */
export function portableHash(inputs: number): Hash {
  const rounds = { Fp, t: inputs + 1, roundsFull: FULL_ROUNDS, roundsPartial: PARTIAL_ROUNDS[inputs - 1]! }
  const permute = poseidon({ ...constantsOf(inputs), ...rounds, sboxPower: 5 })
  return (values) => permute([0n, ...values])[0]!
}

const { Fp } = babyjubjub.Point
