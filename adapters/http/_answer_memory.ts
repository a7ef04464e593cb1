/** What an entry takes besides its body and its key, in bytes: the entry, its headers, and its place in the map. */
const entryBytes = 1500

/** Something whose bytes can be counted. */
export interface Sized {
  readonly bytes: number
}

/**
 * Whole answers by URL, all of them within one bound of bytes. They are kept for two generations, the one that fills up now and the one
 * before it: what is asked for again stays. Whether an answer is still the one is seen when it is asked for, so a change costs nothing
 * here, and an answer that no longer is makes room when its URL is asked for again or its generation goes.
 */
export class AnswerMemory<Kept extends Sized> {
  private current = new Map<string, Kept>()
  private previous = new Map<string, Kept>()
  private currentBytes = 0
  private previousBytes = 0
  private readonly generationMax: number
  /** How many were dropped to make room. */
  evictions = 0

  /** @param bytesMax for both generations; 0 keeps nothing */
  constructor(bytesMax: number) {
    this.generationMax = bytesMax / 2
  }

  get entries(): number {
    return this.current.size + this.previous.size
  }

  get bytes(): number {
    return this.currentBytes + this.previousBytes
  }

  find(key: string): Kept | undefined {
    const kept = this.current.get(key)
    if (kept !== undefined) return kept
    const before = this.previous.get(key)
    if (before === undefined) return undefined
    this.add(key, before)
    return before
  }

  /** In place of what is there; what is larger than a generation is not kept. */
  add(key: string, kept: Kept): void {
    this.remove(key)
    const bytes = bytesOf(key, kept)
    if (bytes > this.generationMax) return
    if (this.currentBytes + bytes > this.generationMax) {
      this.evictions += this.previous.size
      this.previous = this.current
      this.previousBytes = this.currentBytes
      this.current = new Map()
      this.currentBytes = 0
    }
    this.current.set(key, kept)
    this.currentBytes += bytes
  }

  remove(key: string): void {
    const current = this.current.get(key)
    if (current !== undefined) {
      this.current.delete(key)
      this.currentBytes -= bytesOf(key, current)
    }
    const previous = this.previous.get(key)
    if (previous === undefined) return
    this.previous.delete(key)
    this.previousBytes -= bytesOf(key, previous)
  }
}

const bytesOf = (key: string, { bytes }: Sized): number => entryBytes + key.length + bytes
