import { bodyBytes, type HttpAnswer } from "./message.ts"

interface Kept {
  readonly version: number
  readonly answer: HttpAnswer
}

/** What an entry takes besides its body and its URL, in bytes: the entry, its headers, and its place in the map. */
const entryBytes = 1000

/**
 * Whole answers by URL, each for the version of the ledger that it shows, all of them within one bound of bytes. They are kept for two
 * generations, the one that fills up now and the one before it: what is asked for again stays. An answer of another version is never
 * given, and makes room when its URL is asked for again or its generation goes.
 */
export class AnswerMemory {
  private current = new Map<string, Kept>()
  private previous = new Map<string, Kept>()
  private used = 0
  private readonly generationMax: number

  /** @param bytesMax for both generations; 0 keeps nothing */
  constructor(bytesMax: number) {
    this.generationMax = bytesMax / 2
  }

  find(url: string, version: number): HttpAnswer | undefined {
    const kept = this.current.get(url)
    if (kept !== undefined) return kept.version === version ? kept.answer : undefined
    const before = this.previous.get(url)
    if (before === undefined || before.version !== version) return undefined
    this.keep(url, before)
    return before.answer
  }

  add(url: string, version: number, answer: HttpAnswer): void {
    this.keep(url, { version, answer })
  }

  private keep(url: string, kept: Kept): void {
    const size = sizeOf(url, kept)
    if (size > this.generationMax) return
    const replaced = this.current.get(url)
    if (replaced !== undefined) this.used -= sizeOf(url, replaced)
    if (this.used + size > this.generationMax) {
      this.previous = this.current
      this.current = new Map()
      this.used = 0
    }
    this.current.set(url, kept)
    this.used += size
  }
}

const sizeOf = (url: string, { answer: { body } }: Kept): number => entryBytes + url.length + bodyBytes(body)
