/** What an entry takes besides its body and its key, in bytes: the entry, its headers, and its place in the map. */
const entryBytes = 1500
/** The same for a URL of which nothing but itself is kept. */
const nameBytes = 100
/** Where new answers would replace a generation in less time, what is asked for once is not kept. */
const replacedMs = 30_000
/** Part of a generation for the URLs that were asked for once. */
const namesShare = 1 / 16

/** Something whose bytes can be counted. */
export interface Sized {
  readonly bytes: number
}

/**
 * Whole answers by URL, all of them within one bound of bytes. They are kept for two generations, the one that fills up now and the one
 * before it: what is asked for again stays. Whether an answer is still the one is seen when it is asked for, so a change costs nothing
 * here, and an answer that no longer is makes room for the one that is computed in its place, or when its generation goes.
 *
 * Who walks through the whole history asks for each page once, and would push out what others ask for again and again; and all that he
 * asks for would live just long enough to cost the collector of garbage the most. So where new answers would fill a generation within half a
 * minute, one is kept only if its URL was asked for before, and not longer ago than its answer would have stayed if all were kept: what
 * comes again later than that would push out others just to be pushed out itself.
 */
export class AnswerMemory<Kept extends Sized> {
  private current = new Map<string, Kept>()
  private previous = new Map<string, Kept>()
  private currentBytes = 0
  private previousBytes = 0
  private readonly generationMax: number
  private readonly nowMs: () => number
  /** Since when new answers are counted, and their bytes, kept or not. */
  private sinceMs = -Infinity
  private newBytes = 0
  private isFlooded = false
  /** URLs that were asked for once in a flood, of two generations as well. */
  private names = new Set<string>()
  private namesBefore = new Set<string>()
  private namesBytes = 0
  /** Of the answers to those of `names`. */
  private namedBytes = 0
  /** How many were dropped to make room. */
  evictions = 0

  /** @param bytesMax for both generations; 0 keeps nothing */
  constructor(bytesMax: number, nowMs: () => number) {
    this.generationMax = bytesMax / 2
    this.nowMs = nowMs
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
    this.keep(key, before)
    return before
  }

  /** Whether a new answer is to be kept: what is larger than a generation is not, and in a flood nor is what is asked for the first time. Asked once for each. */
  wants(key: string, answer: Sized): boolean {
    const bytes = bytesOf(key, answer)
    if (bytes > this.generationMax) {
      // what is there was overtaken
      this.remove(key)
      return false
    }
    const isKnown = this.current.has(key) || this.previous.has(key)
    this.count(bytes)
    return isKnown || !this.isFlooded || this.isNamed(key, bytes)
  }

  /** Keeps an answer that is wanted, in place of what is there. */
  keep(key: string, kept: Kept): void {
    this.remove(key)
    const bytes = bytesOf(key, kept)
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

  private remove(key: string): void {
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

  /** A flood has begun when a generation of answers came too soon, and is over after the first stretch of time in which fewer came. */
  private count(bytes: number): void {
    const nowMs = this.nowMs()
    // also where the clock was set back
    const isOver = Math.abs(nowMs - this.sinceMs) >= replacedMs
    this.newBytes += bytes
    const isMuch = this.newBytes > this.generationMax
    if (!isOver && !isMuch) return
    this.isFlooded = !isOver
    this.sinceMs = nowMs
    this.newBytes = 0
    if (!this.isFlooded) this.forgetNames()
  }

  /** Whether it was asked for in this flood, as far as that is remembered; from now on it was. */
  private isNamed(key: string, bytes: number): boolean {
    if (this.names.has(key) || this.namesBefore.has(key)) return true
    this.namesBytes += nameBytes + key.length
    this.namedBytes += bytes
    if (this.namedBytes > this.generationMax || this.namesBytes > this.generationMax * namesShare) {
      const before = this.names
      this.forgetNames()
      this.namesBefore = before
    }
    this.names.add(key)
    return false
  }

  private forgetNames(): void {
    this.names = new Set()
    this.namesBefore = new Set()
    this.namesBytes = this.namedBytes = 0
  }
}

const bytesOf = (key: string, { bytes }: Sized): number => entryBytes + key.length + bytes
