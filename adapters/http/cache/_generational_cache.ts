/**
 * Estimated bytes of an entry besides body and key: the object, its headers and its slot in the
 * map.
 */
const entryBytes = 1500
/** Estimated bytes of a URL in `seenOnce`, besides its characters. */
const seenUrlBytes = 100
/**
 * If new answers fill a generation in less time, the cache is scanned: it rejects URLs at their
 * first request.
 */
const generationMsMin = 30_000
/** Share of a generation that the URLs in `seenOnce` may take. */
const seenUrlsShare = 1 / 16

/** A value with a known size, which only `grow` changes while it is cached. */
export interface Sized {
  bytes: number
}

/**
 * A cache of answers by URL, bounded in bytes. It has two generations: the current one, which fills
 * up, and the previous one. A hit moves an entry to the current generation. The caller checks
 * whether an entry is stale, so a change of the ledger costs nothing here. A stale entry is dropped
 * when a new answer replaces it, or with its generation.
 *
 * A client that scans the whole history requests each page once. Its pages would evict the entries
 * that other clients request repeatedly, and would live just long enough to make garbage collection
 * most expensive. So while new answers fill a generation in less than `generationMsMin`, the cache
 * accepts only URLs that it has seen recently: within the time that their answers would have stayed
 * cached.
 */
export class GenerationalCache<Entry extends Sized> {
  private current = new Map<string, Entry>()
  private previous = new Map<string, Entry>()
  private currentBytes = 0
  private previousBytes = 0
  private readonly generationMax: number
  private readonly nowMs: () => number
  /** Start of the period in which `newBytes` counts new answers, cached or not. */
  private sinceMs = -Infinity
  private newBytes = 0
  private isScanning = false
  /** URLs requested once during a scan, in two generations too. */
  private seenOnce = new Set<string>()
  private seenOnceBefore = new Set<string>()
  private seenOnceBytes = 0
  /** Bytes of the answers to the URLs in `seenOnce`. */
  private seenOnceAnswerBytes = 0
  /** Entries dropped to make room. */
  evictions = 0

  /** @param bytesMax bound of both generations together; 0 disables the cache */
  constructor(bytesMax: number, nowMs: () => number) {
    this.generationMax = bytesMax / 2
    this.nowMs = nowMs
  }

  /** Number of entries, including stale ones. */
  get entries(): number {
    return this.current.size + this.previous.size
  }

  /** Bytes of all entries, including stale ones. */
  get bytes(): number {
    return this.currentBytes + this.previousBytes
  }

  /** Returns the entry of a URL, stale or not. */
  get(key: string): Entry | undefined {
    const entry = this.current.get(key)
    if (entry !== undefined) return entry
    const before = this.previous.get(key)
    if (before === undefined) return undefined
    this.put(key, before)
    return before
  }

  /**
   * Returns whether to cache a new answer: not if it is larger than a generation, nor at the first
   * request of its URL during a scan. Call it once for each answer.
   */
  accepts(key: string, answer: Readonly<Sized>): boolean {
    const bytes = bytesOf(key, answer)
    if (bytes > this.generationMax) {
      // the cached answer is stale
      this.remove(key)
      return false
    }
    const isKnown = this.current.has(key) || this.previous.has(key)
    this.count(bytes)
    return isKnown || !this.isScanning || this.wasSeen(key, bytes)
  }

  /** Caches an answer for which `accepts` returned true. It replaces the old one. */
  put(key: string, entry: Entry): void {
    this.remove(key)
    const bytes = bytesOf(key, entry)
    if (this.currentBytes + bytes > this.generationMax) {
      this.evictions += this.previous.size
      this.previous = this.current
      this.previousBytes = this.currentBytes
      this.current = new Map()
      this.currentBytes = 0
    }
    this.current.set(key, entry)
    this.currentBytes += bytes
  }

  /**
   * Adds bytes to a cached entry. Returns false, and changes nothing, if the entry is not cached
   * any more or would be larger than a generation.
   */
  grow(key: string, entry: Entry, bytes: number): boolean {
    if (this.current.get(key) !== entry && this.previous.get(key) !== entry) return false
    if (bytesOf(key, entry) + bytes > this.generationMax) return false
    this.remove(key)
    entry.bytes += bytes
    this.put(key, entry)
    return true
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

  /**
   * Starts a scan when new answers fill a generation too soon, and ends it after a period in which
   * they do not.
   */
  private count(bytes: number): void {
    const nowMs = this.nowMs()
    // `abs`: the clock may be set back
    const isOver = Math.abs(nowMs - this.sinceMs) >= generationMsMin
    this.newBytes += bytes
    const isMuch = this.newBytes > this.generationMax
    if (!isOver && !isMuch) return
    this.isScanning = !isOver
    this.sinceMs = nowMs
    this.newBytes = 0
    if (!this.isScanning) this.forgetSeen()
  }

  /** Returns whether the URL was requested before in this scan, and remembers it. */
  private wasSeen(key: string, bytes: number): boolean {
    if (this.seenOnce.has(key) || this.seenOnceBefore.has(key)) return true
    this.seenOnceBytes += seenUrlBytes + key.length
    this.seenOnceAnswerBytes += bytes
    if (
      this.seenOnceAnswerBytes > this.generationMax ||
      this.seenOnceBytes > this.generationMax * seenUrlsShare
    ) {
      const before = this.seenOnce
      this.forgetSeen()
      this.seenOnceBefore = before
    }
    this.seenOnce.add(key)
    return false
  }

  private forgetSeen(): void {
    this.seenOnce = new Set()
    this.seenOnceBefore = new Set()
    this.seenOnceBytes = this.seenOnceAnswerBytes = 0
  }
}

const bytesOf = (key: string, { bytes }: Readonly<Sized>): number => entryBytes + key.length + bytes
