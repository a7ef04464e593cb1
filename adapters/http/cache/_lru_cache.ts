/** Estimated bytes of an entry besides body and key: the object, its headers, its slot in the map. */
const entryBytes = 1500

interface Sized {
  readonly key: string
  bytes: number
}

/** Entries by key in order of use, at most `bytesMax` bytes. The least recently used one goes first. */
export class LruCache<Entry extends Sized> {
  readonly bytesMax: number
  readonly #entries = new Map<string, Entry>()
  /**
   * Yields the least recently used key. One iterator serves all evictions: a new one would step over
   * the places of all entries that have moved since the map was last compacted.
   */
  readonly #oldest = this.#entries.entries()
  /** Bytes of all entries, including stale ones. */
  bytes = 0
  /** Entries dropped to make room. */
  evictions = 0

  /** @param bytesMax 0 disables the cache */
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
    return entry
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /** Returns whether an entry of this size fits into the cache alone. */
  accepts(key: string, bytes: number): boolean {
    return bytesOf({ key, bytes }) <= this.bytesMax
  }

  /** Adds an entry that `accepts` allows. It replaces the one with its key. */
  put(entry: Entry): void {
    const { key } = entry
    const before = this.#entries.get(key)
    if (before !== undefined) {
      this.#entries.delete(key)
      this.bytes -= bytesOf(before)
    }
    this.#entries.set(key, entry)
    this.#add(bytesOf(entry))
  }

  /** Adds bytes to an entry, unless it is not cached any more or would not fit alone. */
  grow(entry: Entry, bytes: number): boolean {
    const { key } = entry
    if (this.#entries.get(key) !== entry || !this.accepts(key, entry.bytes + bytes)) return false
    this.get(key)
    entry.bytes += bytes
    this.#add(bytes)
    return true
  }

  #add(bytes: number): void {
    this.bytes += bytes
    while (this.bytes > this.bytesMax) {
      const [key, entry] = this.#oldest.next().value!
      this.#entries.delete(key)
      this.bytes -= bytesOf(entry)
      this.evictions++
    }
  }
}

const bytesOf = ({ bytes, key }: Readonly<Sized>): number => entryBytes + key.length + bytes
