import type { FacetSet, Key, KeyFacet } from "./facets.ts"

/** The facets and rows that an index is made of. */
export interface IndexSource<Row> {
  readonly facetSet: FacetSet<Row>
  readonly rowAt: (position: number) => Row
}

/** The code of a null key. */
const noKey = -1

/** The keys of one facet as consecutive numbers, for the rows that are appended in bulk. */
export class FacetCodes<Row> {
  /** The keys by code. */
  readonly keys: Array<Key> = []
  /** Work space of a bulk append, by code: rows, list, and index of the next row in it. */
  readonly counts: Array<number> = []
  readonly lists: Array<Array<number>> = []
  readonly next: Array<number> = []
  private readonly codes = new Map<Key, number>()
  private readonly keyOf: (row: Row) => Key | null
  private readonly rowAt: (position: number) => Row
  private readonly start: number
  private readonly codesOfRows: Int32Array

  /** Makes room for the codes of the rows at the positions [start, end). */
  constructor(
    { keyOf }: KeyFacet<Row>,
    rowAt: (position: number) => Row,
    start: number,
    end: number
  ) {
    this.keyOf = keyOf
    this.rowAt = rowAt
    this.start = start
    this.codesOfRows = new Int32Array(end - start)
  }

  /** Reads the keys of rows; `from` is the position of the first one. */
  read(rows: ReadonlyArray<Row>, from: number): void {
    const { codesOfRows, keyOf, start } = this
    for (let i = 0; i < rows.length; i++) {
      codesOfRows[from - start + i] = this.codeOf(keyOf(rows[i]!))
    }
  }

  /** Returns the code of the key of a row, or −1 if the key is null. */
  of(position: number): number {
    return position >= this.start
      ? this.codesOfRows[position - this.start]!
      : this.codeOf(this.keyOf(this.rowAt(position)))
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
  private readonly rowAt: (position: number) => Row
  private readonly codes: ReadonlyArray<FacetCodes<Row> | null>

  /** Makes room for the codes of the rows at the positions [start, end). */
  constructor({ facetSet, rowAt }: IndexSource<Row>, start: number, end: number) {
    this.rowAt = rowAt
    this.codes = facetSet.facets.map((facet) =>
      facet.kind === "key" ? new FacetCodes(facet, rowAt, start, end) : null
    )
  }

  /** Returns the codes of a facet with keys. */
  of(facet: number): FacetCodes<Row> {
    return this.codes[facet]!
  }

  /** Reads the keys of the rows at the positions [from, to). */
  read(from: number, to: number): void {
    const rows = Array.from({ length: to - from }, (_, i) => this.rowAt(from + i))
    for (const codes of this.codes) codes?.read(rows, from)
  }
}
