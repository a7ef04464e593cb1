interface Sized {
  readonly key: string
  bytes: number
}

/** An entry in the ring of all entries, in order of use. */
interface Link<Entry> {
  readonly entry: Entry
  older: Link<Entry>
  newer: Link<Entry>
}

/**
 * Entries by key in order of use, at most `bytesMax` bytes. The least recently used one goes first.
 *
 * The order is a list of its own: a map whose entries move to its end makes a new table after few
 * moves, and V8 keeps all tables that an open iterator has not passed.
 */
export class LruCache<Entry extends Sized> {
  readonly bytesMax: number
  readonly #links = new Map<string, Link<Entry>>()
  /** The link without an entry, which closes the ring: between the newest entry and the oldest. */
  readonly #end: Link<Entry>
  /** Bytes of all entries, including stale ones. */
  bytes = 0
  /** Entries dropped to make room. */
  evictions = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
    const end = {} as Link<Entry>
    this.#end = Object.assign(end, { older: end, newer: end })
  }

  get size(): number {
    return this.#links.size
  }

  /** Returns the entry, which becomes the most recently used one. */
  get(key: string): Entry | undefined {
    const link = this.#links.get(key)
    if (link === undefined) return undefined
    unlink(link)
    this.#append(link)
    return link.entry
  }

  has(key: string): boolean {
    return this.#links.has(key)
  }

  /** Returns whether an entry of this size fits into the cache alone. */
  accepts(bytes: number): boolean {
    return bytes <= this.bytesMax
  }

  /** Adds an entry that has at most `bytesMax` bytes. It replaces the one with its key. */
  put(entry: Entry): void {
    const before = this.#links.get(entry.key)
    if (before !== undefined) this.#remove(before)
    const link = { entry, older: this.#end, newer: this.#end }
    this.#links.set(entry.key, link)
    this.#append(link)
    this.#add(entry.bytes)
  }

  /** Adds bytes to an entry, unless it is not cached any more or would not fit alone. */
  grow(entry: Entry, bytes: number): boolean {
    if (this.#links.get(entry.key)?.entry !== entry || !this.accepts(entry.bytes + bytes)) {
      return false
    }
    this.get(entry.key)
    entry.bytes += bytes
    this.#add(bytes)
    return true
  }

  #add(bytes: number): void {
    this.bytes += bytes
    while (this.bytes > this.bytesMax) {
      this.#remove(this.#end.newer)
      this.evictions++
    }
  }

  #append(link: Link<Entry>): void {
    link.newer = this.#end
    link.older = this.#end.older
    link.older.newer = link
    this.#end.older = link
  }

  #remove(link: Link<Entry>): void {
    unlink(link)
    this.#links.delete(link.entry.key)
    this.bytes -= link.entry.bytes
  }
}

const unlink = <Entry>({ newer, older }: Link<Entry>): void => {
  older.newer = newer
  newer.older = older
}
