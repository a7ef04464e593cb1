import type { AccountValues } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"

const sliceBits = 12
const sliceSize = 2 ** sliceBits
const wordBits = 64n
/** 64-bit words of a balance: it is below 2^192, or below 2^256 if it is damaged. */
const words = 4

interface Slice {
  readonly isPresent: Uint8Array
  readonly nonces: Float64Array
  readonly balances: BigUint64Array
}

/** Nonces and balances of accounts at one batch. Takes 41 bytes for each account. */
export class Balances {
  readonly #slices = new Map<number, Slice>()

  set(index: AccountIndex, { balance, nonce }: AccountValues): void {
    const number = Math.floor(index / sliceSize)
    let slice = this.#slices.get(number)
    if (slice === undefined) {
      slice = {
        isPresent: new Uint8Array(sliceSize),
        nonces: new Float64Array(sliceSize),
        balances: new BigUint64Array(words * sliceSize)
      }
      this.#slices.set(number, slice)
    }
    const offset = index % sliceSize
    slice.isPresent[offset] = 1
    slice.nonces[offset] = Number(nonce)
    for (let word = 0; word < words; word++) {
      slice.balances[words * offset + word] = balance >> (wordBits * BigInt(word))
    }
  }

  get(index: AccountIndex): AccountValues | undefined {
    const slice = this.#slices.get(Math.floor(index / sliceSize))
    const offset = index % sliceSize
    if (slice === undefined || slice.isPresent[offset] === 0) return undefined
    let balance = 0n
    for (let word = words - 1; word >= 0; word--) {
      balance = balance << wordBits | slice.balances[words * offset + word]!
    }
    return { nonce: BigInt(slice.nonces[offset]!), balance }
  }
}
