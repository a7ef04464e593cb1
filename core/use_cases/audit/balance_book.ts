import type { Account } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"

export type Holding = Pick<Account, "nonce" | "balance">

const sliceBits = 12
const sliceSize = 2 ** sliceBits
const wordBits = 64n
/** A balance is below 2^192; a damaged one, below 2^256. */
const words = 4

interface Slice {
  readonly isThere: Uint8Array
  readonly nonces: Float64Array
  readonly balances: BigUint64Array
}

/**
 * Nonces and balances of all accounts at one batch: 41 bytes for each account, whatever the numbers
 * are.
 */
export class BalanceBook {
  readonly #slices = new Map<number, Slice>()

  set(index: AccountIndex, { balance, nonce }: Holding): void {
    const number = Math.floor(index / sliceSize)
    let slice = this.#slices.get(number)
    if (slice === undefined) {
      slice = {
        isThere: new Uint8Array(sliceSize),
        nonces: new Float64Array(sliceSize),
        balances: new BigUint64Array(words * sliceSize)
      }
      this.#slices.set(number, slice)
    }
    const place = index % sliceSize
    slice.isThere[place] = 1
    slice.nonces[place] = Number(nonce)
    for (let word = 0; word < words; word++) {
      slice.balances[words * place + word] = balance >> (wordBits * BigInt(word))
    }
  }

  get(index: AccountIndex): Holding | undefined {
    const slice = this.#slices.get(Math.floor(index / sliceSize))
    const place = index % sliceSize
    if (slice === undefined || slice.isThere[place] === 0) return undefined
    let balance = 0n
    for (let word = words - 1; word >= 0; word--) {
      balance = balance << wordBits | slice.balances[words * place + word]!
    }
    return { nonce: BigInt(slice.nonces[place]!), balance }
  }
}
