import {
  advance, assemble, below, bitsOfBoth, call, choose, type Code, countDown, either, get, load, number, plus, type Procedure, product,
  repeat, set, shiftedRight, store, sum, swap, times, wide
} from "./_web_assembly.ts"

/*
 * The permutation of Poseidon as WebAssembly: products of big integers make garbage and divide, and take ten times as long.
 *
 * An element is nine limbs of 29 bits, the lowest first, each in eight bytes, and stands for itself times 2^261 modulo the field
 * (Montgomery). The space above its 254 bits lets a sum of seven products be reduced at once, with no comparison and no carry between
 * limbs: elements stay below 2^256, and a column of 64 products, eight of each of the seven and eight of the reduction, below 2^64.
 */

export const LIMBS = 9
export const LIMB_BITS = 29
export const ELEMENT_BYTES = 8 * LIMBS

/** Where the code expects the numbers 1, 2^522 modulo the field (it brings an element into Montgomery's form) and 0, and what is free. */
export const PLACES = { one: 0, intoForm: ELEMENT_BYTES, zero: 2 * ELEMENT_BYTES, free: 3 * ELEMENT_BYTES }

export interface PoseidonCode {
  readonly memory: WebAssembly.Memory
  /**
   * Permutes the elements at `state`, which come as plain numbers, and leaves the first one there, a plain number and at most the modulus.
   * At `constants` are the rows of the matrix, those of each round and one of zeros. As much again behind the state is overwritten.
   */
  readonly permute: (state: number, width: number, constants: number, rounds: number, firstPartial: number, lastPartial: number) => void
}

/** Undefined where a runtime compiles no WebAssembly while it runs, as some do for safety. */
export function poseidonCode(modulus: bigint, pages: number): PoseidonCode | undefined {
  const code = assemble({ procedures: [sumOfProducts(modulus), permutation()], exported: { permute: 1 }, pages })
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as PoseidonCode
  } catch {
    return undefined
  }
}

/** The limbs of a number below 2^261. */
export function limbsOf(value: bigint): ReadonlyArray<bigint> {
  return Array.from({ length: LIMBS }, (_, i) => (value >> BigInt(LIMB_BITS * i)) & MASK)
}

const MASK = (1n << BigInt(LIMB_BITS)) - 1n

/**
 * `out` = Σ a·b / 2^261 + c, of `count` elements from `a` and from `b` on. Limb by limb: that of each a times its b, then as much of the
 * modulus as makes the lowest column vanish but for its carry.
 */
function sumOfProducts(modulus: bigint): Procedure {
  const [out, a, b, count, c, left, fromA, fromB, steps] = LOCALS
  const limb = 9
  const columns = Array.from({ length: LIMBS }, (_, i) => limb + 1 + i)
  const lowest = columns[0]!
  const add = (column: number, value: Code) => set(column, sum(get(column), value))
  return {
    parameters: 5,
    numbers: 4,
    wides: 1 + LIMBS,
    code: [
      ...set(steps, number(LIMBS)),
      ...countDown(steps, [
        ...set(fromA, get(a)),
        ...set(fromB, get(b)),
        ...set(left, get(count)),
        ...countDown(left, [
          ...set(limb, load(fromA, 0)),
          ...columns.flatMap((column, i) => add(column, product(get(limb), load(fromB, i)))),
          ...advance(fromA, ELEMENT_BYTES),
          ...advance(fromB, ELEMENT_BYTES)
        ]),
        ...set(limb, low(product(get(lowest), wide(oppositeInverse(modulus))))),
        ...limbsOf(modulus).flatMap((digit, i) => add(columns[i]!, product(get(limb), wide(digit)))),
        ...add(columns[1]!, carry(get(lowest))),
        ...columns.flatMap((column, i) => set(column, i < LIMBS - 1 ? get(columns[i + 1]!) : wide(0n))),
        ...advance(a, 8)
      ]),
      ...set(limb, wide(0n)),
      ...columns.flatMap((column, i) => [
        ...add(limb, sum(get(column), load(c, i))),
        ...store(out, i, i < LIMBS - 1 ? low(get(limb)) : get(limb)),
        ...set(limb, carry(get(limb)))
      ])
    ]
  }
}

/** Round after round the fifth powers, of the first element alone in a partial round, the matrix, and the constants of the next round. */
function permutation(): Procedure {
  const [state, width, constants, rounds, firstPartial, lastPartial, next, row, added, left, to, round, home] = LOCALS
  const multiply = (out: Code, a: Code, b: Code, count: Code, c: Code) => call(0, [out, a, b, count, c])
  const [single, zero, rowBytes] = [number(1), number(PLACES.zero), times(get(width), number(ELEMENT_BYTES))]
  const each = (first: Code, count: Code, code: Code) => [
    ...set(to, first),
    ...set(left, count),
    ...countDown(left, [...code, ...advance(to, ELEMENT_BYTES)])
  ]
  const isFull = either(below(get(round), get(firstPartial)), below(get(lastPartial), get(round)))
  return {
    parameters: 6,
    numbers: 7,
    wides: 0,
    code: [
      ...set(home, get(state)),
      ...set(next, plus(get(state), rowBytes)),
      ...set(added, plus(get(constants), times(get(width), rowBytes))),
      ...each(get(state), get(width), [
        ...multiply(get(to), get(to), number(PLACES.intoForm), single, get(added)),
        ...advance(added, ELEMENT_BYTES)
      ]),
      ...repeat([
        ...each(get(state), choose(isFull, get(width), single), [
          ...multiply(get(next), get(to), get(to), single, zero),
          ...multiply(get(next), get(next), get(next), single, zero),
          ...multiply(get(to), get(next), get(to), single, zero)
        ]),
        ...set(row, get(constants)),
        ...each(get(next), get(width), [
          ...multiply(get(to), get(row), get(state), get(width), get(added)),
          ...set(row, plus(get(row), rowBytes)),
          ...advance(added, ELEMENT_BYTES)
        ]),
        ...swap(state, next),
        ...advance(round, 1)
      ], below(get(round), get(rounds))),
      ...multiply(get(home), get(state), number(PLACES.one), single, zero)
    ]
  }
}

const LOCALS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const
const low = (value: Code): Code => bitsOfBoth(value, wide(MASK))
const carry = (value: Code): Code => shiftedRight(value, wide(BigInt(LIMB_BITS)))

/** −1/modulus modulo 2^29: each step doubles the bits that are right. */
function oppositeInverse(modulus: bigint): bigint {
  let inverse = 1n
  for (let bits = 1; bits < LIMB_BITS; bits *= 2) inverse = (inverse * (2n - modulus * inverse)) & MASK
  return -inverse & MASK
}
