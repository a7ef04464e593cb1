interface Sized {
  readonly key: string
  bytes: number
}

/** Entries by key in order of use, at most `bytesMax` bytes. The least recently used one goes first. */
export class LruCache<Entry extends Sized> {
  readonly bytesMax: number
  readonly #entries = new Map<string, Entry>()
  /**
   * Yields the least recently used key. One iterator serves many evictions: a new one steps over the
   * places of all entries that have moved since the map was last compacted. It is replaced after
   * `movesMax` moves, because V8 keeps all tables that a map has had since the last step of an
   * iterator.
   */
  #oldest = this.#entries.entries()
  #moves = 0
  /** Bytes of all entries, including stale ones. */
  bytes = 0
  /** Entries dropped to make room. */
  evictions = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get size(): number {
    return this.#entries.size
  }

  /** Returns the entry, which becomes the most recently used one. */
  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (++this.#moves % movesMax === 0) this.#oldest = this.#entries.entries()
    return entry
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /** Returns whether an entry of this size fits into the cache alone. */
  accepts(bytes: number): boolean {
    return bytes <= this.bytesMax
  }

  /** Adds an entry that has at most `bytesMax` bytes. It replaces the one with its key. */
  put(entry: Entry): void {
    const before = this.#entries.get(entry.key)
    if (before !== undefined) {
      this.#entries.delete(entry.key)
      this.bytes -= before.bytes
    }
    this.#entries.set(entry.key, entry)
    this.#add(entry.bytes)
  }

  /** Adds bytes to an entry, unless it is not cached any more or would not fit alone. */
  grow(entry: Entry, bytes: number): boolean {
    if (this.#entries.get(entry.key) !== entry || !this.accepts(entry.bytes + bytes)) return false
    this.get(entry.key)
    entry.bytes += bytes
    this.#add(bytes)
    return true
  }

  #add(bytes: number): void {
    this.bytes += bytes
    while (this.bytes > this.bytesMax) {
      const [key, entry] = this.#oldest.next().value!
      this.#entries.delete(key)
      this.bytes -= entry.bytes
      this.evictions++
    }
  }
}

const movesMax = 1024
