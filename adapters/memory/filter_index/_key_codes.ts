import type { FacetSet, Key, KeyFacet } from "./facets.ts"

/** The code of a null key. */
const noKey = -1

/** The keys of one facet as consecutive numbers, for the rows that are appended in bulk. */
export class FacetCodes {
  /** The keys by code. */
  readonly keys: Array<Key> = []
  /** Work space of a bulk append, by code: rows, list, and index of the next row in it. */
  readonly counts: Array<number> = []
  readonly lists: Array<Array<number>> = []
  readonly next: Array<number> = []
  /** Whether the facet has a second key. */
  readonly hasSecond: boolean
  private readonly codes = new Map<Key, number>()
  private readonly keysOf: (position: number) => readonly [Key | null, Key | null]
  private readonly start: number
  private firsts: Int32Array
  private seconds: Int32Array

  constructor(keysOf: FacetCodes["keysOf"], hasSecond: boolean, start: number) {
    this.keysOf = keysOf
    this.hasSecond = hasSecond
    this.start = start
    this.firsts = new Int32Array(0)
    this.seconds = new Int32Array(0)
  }

  /** Makes room for the rows below a position. */
  reserve(to: number): void {
    if (to - this.start <= this.firsts.length) return
    const length = to - this.start
    this.firsts = extended(this.firsts, length)
    if (this.hasSecond) this.seconds = extended(this.seconds, length)
  }

  set(position: number, first: Key | null, second: Key | null): void {
    this.firsts[position - this.start] = this.codeOf(first)
    if (this.hasSecond) this.seconds[position - this.start] = this.codeOf(second)
  }

  /** Returns the code of the first key of a row, or −1. */
  first(position: number): number {
    return position >= this.start
      ? this.firsts[position - this.start]!
      : this.codeOf(this.keysOf(position)[0])
  }

  /** Returns the code of the second key of a row, or −1. */
  second(position: number): number {
    return position >= this.start
      ? this.seconds[position - this.start]!
      : this.codeOf(this.keysOf(position)[1])
  }

  private codeOf(key: Key | null): number {
    if (key === null) return noKey
    let code = this.codes.get(key)
    if (code === undefined) {
      code = this.keys.push(key) - 1
      this.counts.push(0)
      this.codes.set(key, code)
    }
    return code
  }
}

/** The codes of all facets. */
export class KeyCodes<Row> {
  private readonly facets: ReadonlyArray<readonly [number, KeyFacet<Row>]>
  private readonly rowAt: (position: number) => Row
  private readonly codes: Array<FacetCodes> = []

  constructor({ facets }: FacetSet<Row>, rowAt: (position: number) => Row) {
    this.facets = facets.flatMap((facet, number) => facet.kind === "key" ? [[number, facet]] : [])
    this.rowAt = rowAt
  }

  /** Returns the codes of a facet with keys. */
  of(facet: number): FacetCodes {
    return this.codes[facet]!
  }

  /**
   * Reads the keys of the rows at the positions [from, to), which continue those before. There will
   * be `end` rows.
   */
  add(from: number, to: number, end: number): void {
    for (const [number, facet] of this.facets) {
      const keysOf = (position: number) => keyPair(facet, this.rowAt(position))
      const codes = this.codes[number] ??= new FacetCodes(
        keysOf,
        facet.keys.length > 1,
        from
      )
      codes.reserve(end)
    }
    for (let position = from; position < to; position++) {
      const row = this.rowAt(position)
      for (const [number, { keys: [firstOf, secondOf] }] of this.facets) {
        this.codes[number]!.set(
          position,
          firstOf(row),
          secondOf === undefined ? null : secondOf(row)
        )
      }
    }
  }
}

const keyPair = <Row>(
  { keys: [firstOf, secondOf] }: KeyFacet<Row>,
  row: Row
): readonly [Key | null, Key | null] => [
  firstOf(row),
  secondOf === undefined ? null : secondOf(row)
]

const extended = (before: Int32Array, length: number): Int32Array<ArrayBuffer> => {
  const after = new Int32Array(length)
  after.set(before)
  return after
}
