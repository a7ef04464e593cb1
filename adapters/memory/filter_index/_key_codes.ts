import type { FacetSet, Key, KeyFacet } from "./facets.ts"

/** The facets and rows that an index is made of. */
export interface IndexSource<Row> {
  readonly facetSet: FacetSet<Row>
  readonly rowAt: (position: number) => Row
}

/** The positions [from, to), or the elements [from, to) of a list of positions. */
export interface Slice {
  readonly positions: ReadonlyArray<number> | null
  readonly from: number
  readonly to: number
}

/** The code of a null key. */
const noKey = -1

/** The keys of all facets as consecutive numbers, so that keys of two columns can be compared. */
export class KeyDictionary {
  /** The keys by code. */
  readonly keys: Array<Key> = []
  /** Work space of a bulk append, by code: rows, list, and index of the next row in it. */
  readonly counts: Array<number> = []
  readonly lists: Array<Array<number>> = []
  readonly next: Array<number> = []
  private readonly codes = new Map<Key, number>()

  /** Returns the code of a key, or −1 if it is null. */
  codeOf(key: Key | null): number {
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

/** The codes of one key of each row. */
class KeyColumn<Row> {
  private readonly dictionary: KeyDictionary
  private readonly keyOf: (row: Row) => Key | null
  private readonly rowAt: (position: number) => Row
  private readonly start: number
  private readonly codes: Int32Array

  /** Makes room for the codes of the rows at the positions [start, end). */
  constructor(
    dictionary: KeyDictionary,
    keyOf: (row: Row) => Key | null,
    rowAt: (position: number) => Row,
    start: number,
    end: number
  ) {
    this.dictionary = dictionary
    this.keyOf = keyOf
    this.rowAt = rowAt
    this.start = start
    this.codes = new Int32Array(end - start)
  }

  /** Reads the keys of rows; `from` is the position of the first one. */
  read(rows: ReadonlyArray<Row>, from: number): void {
    const { codes, dictionary, keyOf, start } = this
    for (let i = 0; i < rows.length; i++) {
      codes[from - start + i] = dictionary.codeOf(keyOf(rows[i]!))
    }
  }

  /** Returns the code of the key of a row, or −1 if the key is null. */
  codeAt(position: number): number {
    return position >= this.start
      ? this.codes[position - this.start]!
      : this.dictionary.codeOf(this.keyOf(this.rowAt(position)))
  }
}

/** Work space that all facets use in turn. */
interface Scratch {
  codes: Int32Array
}

/** The keys of one facet as codes. */
export class FacetCodes<Row> {
  private readonly own: KeyColumn<Row>
  private readonly other: KeyColumn<Row> | null
  private readonly areEqual: boolean
  private readonly scratch: Scratch

  constructor(
    own: KeyColumn<Row>,
    other: KeyColumn<Row> | null,
    areEqual: boolean,
    scratch: Scratch
  ) {
    this.own = own
    this.other = other
    this.areEqual = areEqual
    this.scratch = scratch
  }

  /**
   * Returns the codes of the keys of the rows, −1 if a key is null. The next call for any facet
   * overwrites them.
   */
  codesOf({ from, positions, to }: Slice): Int32Array {
    const { areEqual, other, own, scratch } = this
    if (scratch.codes.length < to - from) scratch.codes = new Int32Array(to - from)
    const { codes } = scratch
    for (let i = from; i < to; i++) {
      const position = positions === null ? i : positions[i]!
      const code = own.codeAt(position)
      codes[i - from] = other === null || (code === other.codeAt(position)) === areEqual
        ? code
        : noKey
    }
    return codes.subarray(0, to - from)
  }
}

/** The codes of all facets. A key that several facets read is read once for each row. */
export class KeyCodes<Row> {
  readonly dictionary = new KeyDictionary()
  private readonly rowAt: (position: number) => Row
  private readonly columns = new Map<KeyFacet<Row>["keyOf"], KeyColumn<Row>>()
  private readonly codes: ReadonlyArray<FacetCodes<Row> | null>

  /** Makes room for the codes of the rows at the positions [start, end). */
  constructor({ facetSet, rowAt }: IndexSource<Row>, start: number, end: number) {
    this.rowAt = rowAt
    const scratch = { codes: new Int32Array(end - start) }
    const column = (keyOf: KeyFacet<Row>["keyOf"]) => {
      const known = this.columns.get(keyOf)
      if (known !== undefined) return known
      const created = new KeyColumn(this.dictionary, keyOf, rowAt, start, end)
      this.columns.set(keyOf, created)
      return created
    }
    this.codes = facetSet.facets.map((facet) => {
      if (facet.kind === "text") return null
      const { areEqual, other, own } = facet.sides ??
        { own: facet.keyOf, other: null, areEqual: true }
      return new FacetCodes(column(own), other === null ? null : column(other), areEqual, scratch)
    })
  }

  /** Returns the codes of a facet with keys. */
  of(facet: number): FacetCodes<Row> {
    return this.codes[facet]!
  }

  /** Reads the keys of the rows at the positions [from, to). */
  read(from: number, to: number): void {
    for (let start = from; start < to; start += rowsAtOnce) {
      const rows: Array<Row> = []
      for (let at = start; at < Math.min(to, start + rowsAtOnce); at++) rows.push(this.rowAt(at))
      for (const column of this.columns.values()) column.read(rows, start)
    }
  }
}

/** Rows that are in memory at the same time while their keys are read. */
const rowsAtOnce = 1024
