import * as Hex from "effect/encoding/Hex"
import { digestOf } from "./chain.ts"

/**
 * What hashing and key derivation gave before, kept by the digest of what went in. Whatever is not there is computed, so a recording
 * saves time and changes nothing: where a network is another one, so are its digests, and nothing is found.
 */
export class Recording {
  readonly #text: string
  readonly #made: Map<string, ReadonlyArray<bigint>> | undefined
  /** By digest, numbers as they are written; read from the text when first asked. */
  #known: ReadonlyMap<string, string> | undefined

  /** Of the text of another one, or an empty one; `keeps` whether it takes in what it is told, and so grows with the network. */
  constructor(text = "", { keeps = false }: { readonly keeps?: boolean } = {}) {
    this.#text = text
    this.#made = keeps ? new Map() : undefined
  }

  /** The numbers, none of them negative, that belong to a subject: `compute` depends on nothing that the subject does not say. */
  getOrCompute(subject: string, compute: () => ReadonlyArray<bigint>): ReadonlyArray<bigint> {
    this.#known ??= readText(this.#text)
    if (this.#known.size === 0 && this.#made === undefined) return compute()
    const key = Hex.encode(digestOf(subject)).slice(0, KEY_LENGTH)
    const known = this.#known.get(key)
    const numbers = known === undefined
      ? compute()
      : known.split(" ").map((digits) => BigInt(`0x${digits}`))
    this.#made?.set(key, numbers)
    return numbers
  }

  /** What was recalled by a recording that keeps, a line for each subject. */
  get text(): string {
    return [...this.#made ?? []].map(([key, numbers]) =>
      `${key} ${numbers.map((number) => number.toString(16)).join(" ")}`
    ).join("\n")
  }
}

/** 64 bits: chance makes no two of some hundreds alike. */
const KEY_LENGTH = 16

const readText = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text === ""
      ? []
      : text.split("\n").map((line) => [line.slice(0, KEY_LENGTH), line.slice(KEY_LENGTH + 1)])
  )
