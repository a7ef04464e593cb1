/** The cache key of a fragment: immutable values, so that equal keys always give the same text. */
export type FragmentKey = readonly [object, object | string | undefined]

/** The writers of an object: one segment, or two segments around a volatile property. */
export interface Segments<in V> {
  readonly before: (view: V) => string
  /**
   * The property that changes while the rest stays, such as the price of a token. It is not cached.
   */
  readonly volatile?: { readonly write: (view: V) => string; readonly after: (view: V) => string }
}

interface CachedFragment {
  readonly second: object | string | undefined
  readonly before: string
  readonly after: string
}

/** The cached fragments of one writer, by the first value of their key. */
interface CacheGenerations {
  current: Map<object, CachedFragment>
  previous: Map<object, CachedFragment>
}

/** Memory that an entry takes besides its text, in characters of one byte. */
const entryCharacters = 120

/**
 * Caches the JSON text of objects within one bound for all writers. It holds two generations: a hit
 * in the older one moves the fragment to the newer one, and the older one is dropped when the newer
 * one is full.
 */
export class JsonFragmentCache {
  private readonly generations: Array<CacheGenerations> = []
  private readonly generationMax: number
  private used = 0
  private usedBefore = 0

  private readonly shapes: ReadonlyArray<string> | undefined

  /**
   * @param charactersMax bound for both generations; 0 disables the cache. A character takes one
   * byte, or two in a text that is not Latin-1
   * @param shapes names of the shapes to cache; all shapes by default
   */
  constructor(charactersMax: number, shapes?: ReadonlyArray<string>) {
    this.generationMax = charactersMax / 2
    this.shapes = shapes
  }

  /** Returns a writer that finds cached texts by the identity of the values in their key. */
  cachedWriter<V>(
    shape: string,
    keyOf: (view: V) => FragmentKey,
    segments: Segments<V>
  ): (view: V) => string {
    if (this.generationMax === 0 || this.shapes?.includes(shape) === false) {
      return joinSegments(segments)
    }
    const { volatile, before } = segments
    const generations: CacheGenerations = { current: new Map(), previous: new Map() }
    this.generations.push(generations)
    const fragmentOf = (view: V): CachedFragment => {
      const [first, second] = keyOf(view)
      const current = generations.current.get(first)
      if (current !== undefined && current.second === second) return current
      const previous = generations.previous.get(first)
      const fragment = previous !== undefined && previous.second === second
        ? previous
        : {
          second,
          before: flattenRope(before(view)),
          after: volatile === undefined ? "" : flattenRope(volatile.after(view))
        }
      generations.current.set(first, fragment)
      this.add(fragment.before.length + fragment.after.length + entryCharacters)
      return fragment
    }
    if (volatile === undefined) return (view) => fragmentOf(view).before
    return (view) => {
      const fragment = fragmentOf(view)
      return fragment.before + volatile.write(view) + fragment.after
    }
  }

  /** Returns the size of the cached texts in characters; at most one text above the bound. */
  get characters(): number {
    return this.used + this.usedBefore
  }

  private add(characters: number): void {
    this.used += characters
    if (this.used <= this.generationMax) return
    this.usedBefore = this.used
    this.used = 0
    for (const generations of this.generations) {
      generations.previous = generations.current
      generations.current = new Map()
    }
  }
}

/** Returns a writer without a cache. */
export const joinSegments = <V>({ volatile, before }: Segments<V>): (view: V) => string =>
  volatile === undefined
    ? before
    : (view) => before(view) + volatile.write(view) + volatile.after(view)

/**
 * Returns the same text, stored in one piece: V8 builds long strings as ropes, and converting one
 * to a number flattens it.
 */
const flattenRope = (text: string): string => {
  Number(text)
  return text
}
