import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { Entry } from "../../adapters/journal/mod.ts"
import type { Records } from "./message.ts"

interface Part {
  readonly first: number
  readonly bytes: Uint8Array
}

/** Characters of JSON that are packed together. */
const partCharacters = 2 ** 18

/**
 * All records of a group that keeps nothing on disk, for processes that start later, the writer too: what one process knew alone would be
 * lost with it. Packed they take a small part of what the stores take.
 */
export class RecordStore {
  readonly #packed: Array<Part> = []
  #open: Array<string> = []
  #openFirst = 1
  #openCharacters = 0

  get head(): number {
    return this.#openFirst - 1 + this.#open.length
  }

  append(entries: ReadonlyArray<Entry>): void {
    for (const entry of entries) {
      const line = JSON.stringify(entry)
      this.#open.push(line)
      this.#openCharacters += line.length
      if (this.#openCharacters >= partCharacters) this.#pack()
    }
  }

  /** Records from a number on, some at least where there are any. */
  from(first: number): Records {
    const lines = first >= this.#openFirst ? this.#open.slice(first - this.#openFirst) : this.#linesOfPart(first)
    return { first, entries: lines.map((line) => JSON.parse(line) as Entry), head: this.head }
  }

  #linesOfPart(first: number): ReadonlyArray<string> {
    const part = this.#packed.findLast((part) => part.first <= first)!
    return inflateRawSync(part.bytes).toString().split("\n").slice(first - part.first)
  }

  #pack(): void {
    // JSON has no line feed in it
    this.#packed.push({ first: this.#openFirst, bytes: deflateRawSync(this.#open.join("\n"), { level: 1 }) })
    this.#openFirst += this.#open.length
    this.#open = []
    this.#openCharacters = 0
  }
}
