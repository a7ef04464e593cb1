/** What the texts are written from: immutable values, so that the same values always give the same text. */
export type TextParts = readonly [object, object | string | undefined]

/** How an object is written: in one piece, or in two around a part that is written anew each time. */
export interface Pieces<in V> {
  readonly before: (view: V) => string
  /** What changes where the rest does not, as the prices of tokens do: to keep it in each text would throw them all away. */
  readonly apart?: { readonly write: (view: V) => string; readonly after: (view: V) => string }
}

interface Kept {
  readonly second: object | string | undefined
  readonly before: string
  readonly after: string
}

/** The texts of one writer, by the first value they were written from. */
interface Shelf {
  current: Map<object, Kept>
  previous: Map<object, Kept>
}

/** What an entry takes besides its text, in characters of one byte: the entry itself and its place in the map. */
const entryCharacters = 120

/**
 * Keeps written texts ready, all of them together within one bound. They are kept for two generations, the one that fills up
 * now and the one before it, so that what is asked for again survives and what is not goes, whoever wrote it.
 */
export class TextMemory {
  private readonly shelves: Array<Shelf> = []
  private readonly generationMax: number
  private used = 0
  private usedBefore = 0

  private readonly shapes: ReadonlyArray<string> | undefined

  /**
   * @param charactersMax bound for both generations, 0 keeps nothing; a character takes one byte, or two in a text that is not Latin-1
   * @param shapes names of the only ones whose texts are worth it; all where absent
   */
  constructor(charactersMax: number, shapes?: ReadonlyArray<string>) {
    this.generationMax = charactersMax / 2
    this.shapes = shapes
  }

  /** A writer of a shape whose texts are found again by the identity of the values they were written from. */
  keep<V>(shape: string, partsOf: (view: V) => TextParts, pieces: Pieces<V>): (view: V) => string {
    if (this.generationMax === 0 || this.shapes?.includes(shape) === false) return written(pieces)
    const { apart, before } = pieces
    const shelf: Shelf = { current: new Map(), previous: new Map() }
    this.shelves.push(shelf)
    const keptOf = (view: V): Kept => {
      const [first, second] = partsOf(view)
      const current = shelf.current.get(first)
      if (current !== undefined && current.second === second) return current
      const previous = shelf.previous.get(first)
      const kept = previous !== undefined && previous.second === second
        ? previous
        : {
          second,
          before: flat(before(view)),
          after: apart === undefined ? "" : flat(apart.after(view))
        }
      shelf.current.set(first, kept)
      this.add(kept.before.length + kept.after.length + entryCharacters)
      return kept
    }
    if (apart === undefined) return (view) => keptOf(view).before
    return (view) => {
      const kept = keptOf(view)
      return kept.before + apart.write(view) + kept.after
    }
  }

  /** What is kept at most now, in characters; at most one text above the bound. */
  get characters(): number {
    return this.used + this.usedBefore
  }

  private add(characters: number): void {
    this.used += characters
    if (this.used <= this.generationMax) return
    this.usedBefore = this.used
    this.used = 0
    for (const shelf of this.shelves) {
      shelf.previous = shelf.current
      shelf.current = new Map()
    }
  }
}

/** Writes all of it each time. */
export const written = <V>({ apart, before }: Pieces<V>): (view: V) => string =>
  apart === undefined ? before : (view) => before(view) + apart.write(view) + apart.after(view)

/** Engines build long texts as trees of parts; reading one as a number lays it out in one piece, once. */
const flat = (text: string): string => {
  Number(text)
  return text
}
