import * as Hex from "effect/encoding/Hex"
import { keccak256 } from "../../../adapters/crypto/mod.ts"

/** The modulus of the field: all field elements are less. */
const FIELD_MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Returns the hash of a block, which differs on every fork. */
export function blockHashOf(seed: string, number: bigint, fork: number): string {
  return `0x${Hex.encode(digestOf(`${seed}/block/${number}/${fork}`))}`
}

/**
 * Returns a placeholder for the root of the state tree: a field element that differs for each batch
 * and each fork.
 */
export function placeholderRootOf(blockHash: string, batchNum: number): bigint {
  return BigInt(`0x${Hex.encode(digestOf(`${blockHash}/state/${batchNum}`))}`) % FIELD_MODULUS
}

/** Returns 32 pseudorandom bytes that depend only on the text. */
export function digestOf(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}

/**
 * Holds stored results of expensive computations, by the digest of their input. A result that is
 * not stored is computed, so that a recording saves time and changes no value. Another network has
 * other inputs, and finds no stored results.
 *
 * @example
 * ```ts
 * import { Recording, simulate } from "rollup-node-api/simulator"
 *
 * const records = new Recording("", { records: true })
 * const first = simulate({ seed: 1, recording: records }).next()
 * const stored = new Recording(records.text)
 * const second = simulate({ seed: 1, recording: stored }).next()
 * console.log(records.text.length > 0, first.kind === second.kind) // => true true
 * ```
 */
export class Recording {
  readonly #text: string
  readonly #used: Map<string, ReadonlyArray<bigint>> | undefined
  /** The stored results in hexadecimal by digest; parsed on first use. */
  #stored: ReadonlyMap<string, string> | undefined

  /**
   * @param text - The `text` of another recording; empty by default
   * @param options - `records`: whether `text` returns the results that are used from now on
   */
  constructor(text = "", { records = false }: { readonly records?: boolean } = {}) {
    this.#text = text
    this.#used = records ? new Map() : undefined
  }

  /**
   * Returns the stored result for an input, or computes it. `compute` must depend on the input
   * only, and return numbers that are not negative.
   */
  getOrCompute(input: string, compute: () => ReadonlyArray<bigint>): ReadonlyArray<bigint> {
    this.#stored ??= parse(this.#text)
    if (this.#stored.size === 0 && this.#used === undefined) return compute()
    const key = Hex.encode(digestOf(input)).slice(0, KEY_LENGTH)
    const stored = this.#stored.get(key)
    const numbers = stored === undefined
      ? compute()
      : stored.split(" ").map((digits) => BigInt(`0x${digits}`))
    this.#used?.set(key, numbers)
    return numbers
  }

  /** The results used so far, one line each; empty unless the option `records` is set. */
  get text(): string {
    return [...this.#used ?? []].map(([key, numbers]) =>
      `${key} ${numbers.map((number) => number.toString(16)).join(" ")}`
    ).join("\n")
  }
}

/** 64 bits, enough to make a collision among some hundred inputs improbable. */
const KEY_LENGTH = 16

const parse = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text === ""
      ? []
      : text.split("\n").map((line) => [line.slice(0, KEY_LENGTH), line.slice(KEY_LENGTH + 1)])
  )
