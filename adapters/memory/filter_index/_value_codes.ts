import type { IndexKey, IndexKeys, KeyValue } from "./index_keys.ts"

/** The index keys and rows that an index is made of. */
export interface IndexSource<Row> {
  readonly indexKeys: IndexKeys<Row>
  readonly rowAt: (position: number) => Row
}

/** The positions [from, to), or the elements [from, to) of a list of positions. */
export interface Slice {
  readonly positions: ReadonlyArray<number> | null
  readonly from: number
  readonly to: number
}

/** The code of a null value. */
const noValue = -1

/** The values of all index keys as consecutive numbers, so that values of two columns can be compared. */
export class ValueDictionary {
  /** The values by code. */
  readonly values: Array<KeyValue> = []
  /** Work space of a bulk append, by code: rows, list, and index of the next row in it. */
  readonly counts: Array<number> = []
  readonly lists: Array<Array<number>> = []
  readonly next: Array<number> = []
  private readonly codes = new Map<KeyValue, number>()

  /** Returns the code of a value, or −1 if it is null. */
  codeOf(value: KeyValue | null): number {
    if (value === null) return noValue
    let code = this.codes.get(value)
    if (code === undefined) {
      code = this.values.push(value) - 1
      this.counts.push(0)
      this.codes.set(value, code)
    }
    return code
  }
}

/** The codes of one value of each row. */
class ValueColumn<Row> {
  private readonly dictionary: ValueDictionary
  private readonly valueOf: (row: Row) => KeyValue | null
  private readonly rowAt: (position: number) => Row
  private readonly start: number
  private readonly codes: Int32Array

  /** Makes room for the codes of the rows at the positions [start, end). */
  constructor(
    dictionary: ValueDictionary,
    valueOf: (row: Row) => KeyValue | null,
    rowAt: (position: number) => Row,
    start: number,
    end: number
  ) {
    this.dictionary = dictionary
    this.valueOf = valueOf
    this.rowAt = rowAt
    this.start = start
    this.codes = new Int32Array(end - start)
  }

  /** Reads the values of rows; `from` is the position of the first one. */
  read(rows: ReadonlyArray<Row>, from: number): void {
    const { codes, dictionary, valueOf, start } = this
    for (let i = 0; i < rows.length; i++) {
      codes[from - start + i] = dictionary.codeOf(valueOf(rows[i]!))
    }
  }

  /** Returns the code of the value of a row, or −1 if the value is null. */
  codeAt(position: number): number {
    return position >= this.start
      ? this.codes[position - this.start]!
      : this.dictionary.codeOf(this.valueOf(this.rowAt(position)))
  }
}

/** What an index key compares: it lists a row under `own` if `other` is null, or as in `Sides`. */
interface KeyColumns<Row> {
  readonly own: ValueColumn<Row>
  readonly other: ValueColumn<Row> | null
  readonly areEqual: boolean
}

/** The codes of all index keys. A value that several index keys read is read once for each row. */
export class KeyCodes<Row> {
  readonly dictionary = new ValueDictionary()
  private readonly rowAt: (position: number) => Row
  private readonly columns = new Map<IndexKey<Row>["valueOf"], ValueColumn<Row>>()
  private readonly keys: ReadonlyArray<KeyColumns<Row>>
  /** Work space that all index keys use in turn. */
  private scratch: Int32Array

  /** Makes room for the codes of the rows at the positions [start, end). */
  constructor({ indexKeys, rowAt }: IndexSource<Row>, start: number, end: number) {
    this.rowAt = rowAt
    this.scratch = new Int32Array(end - start)
    const column = (valueOf: IndexKey<Row>["valueOf"]) => {
      const known = this.columns.get(valueOf)
      if (known !== undefined) return known
      const created = new ValueColumn(this.dictionary, valueOf, rowAt, start, end)
      this.columns.set(valueOf, created)
      return created
    }
    this.keys = indexKeys.indexKeys.map(({ sides, valueOf }) =>
      sides === undefined
        ? { own: column(valueOf), other: null, areEqual: true }
        : { own: column(sides.own), other: column(sides.other), areEqual: sides.areEqual }
    )
  }

  /**
   * Returns the codes of the values of an index key in the rows, −1 if a value is null. The next call
   * overwrites them.
   */
  codesOf(indexKey: number, { from, positions, to }: Slice): Int32Array {
    const { areEqual, other, own } = this.keys[indexKey]!
    if (this.scratch.length < to - from) this.scratch = new Int32Array(to - from)
    const codes = this.scratch
    for (let i = from; i < to; i++) {
      const position = positions === null ? i : positions[i]!
      const code = own.codeAt(position)
      codes[i - from] = other === null || (code === other.codeAt(position)) === areEqual
        ? code
        : noValue
    }
    return codes.subarray(0, to - from)
  }

  /** Reads the values of the rows at the positions [from, to). */
  read(from: number, to: number): void {
    for (let start = from; start < to; start += rowsAtOnce) {
      const rows: Array<Row> = []
      for (let at = start; at < Math.min(to, start + rowsAtOnce); at++) rows.push(this.rowAt(at))
      for (const column of this.columns.values()) column.read(rows, start)
    }
  }
}

/** Rows that are in memory at the same time while their values are read. */
const rowsAtOnce = 1024
