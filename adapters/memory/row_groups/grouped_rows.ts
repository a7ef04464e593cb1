/** Converts rows to columns and back. Columns are plain data: numbers, texts, maps, typed arrays. */
export interface RowCodec<Row, Columns> {
  readonly encode: (rows: ReadonlyArray<Row>) => Columns
  /** Returns the row at an index of the columns. */
  readonly decode: (columns: Columns, index: number) => Row
}

/**
 * Rows of one row group: encoding them takes a few milliseconds. Row groups are part of the format of
 * checkpoints, so another number needs another format.
 */
const defaultRowsPerGroup = 2048
/** Decoded rows that are cached, so that frequent reads return the same objects. */
const cachedMax = 8192

/**
 * An append-only list. Its last rows are objects; the rows before them are in columns, `perGroup`
 * rows in each row group, and are decoded when they are read. A row group never changes.
 */
export class GroupedRows<Row, Columns> {
  readonly perGroup: number
  private readonly codec: RowCodec<Row, Columns>
  private sealed: Array<Columns> = []
  private open: Array<Row> = []
  private cached = new Map<number, Row>()

  constructor(codec: RowCodec<Row, Columns>, perGroup = defaultRowsPerGroup) {
    this.codec = codec
    this.perGroup = perGroup
  }

  get length(): number {
    return this.sealedLength + this.open.length
  }

  /** Number of rows in columns. */
  get sealedLength(): number {
    return this.sealed.length * this.perGroup
  }

  /** The columns, each with `perGroup` rows. */
  get rowGroups(): ReadonlyArray<Columns> {
    return this.sealed
  }

  /** The rows behind the row groups. */
  get tail(): ReadonlyArray<Row> {
    return this.open
  }

  at(position: number): Row | undefined {
    const at = position < 0 ? position + this.length : position
    if (at >= this.sealedLength) return this.open[at - this.sealedLength]
    return at < 0 ? undefined : this.decoded(at)
  }

  /** Returns the rows at the positions [from, to). */
  slice(from: number, to: number): Array<Row> {
    return Array.from({ length: Math.max(0, to - from) }, (_, i) => this.at(from + i)!)
  }

  /** Adds a row, and moves the oldest objects into columns if there are many. */
  push(row: Row): number {
    const length = this.open.push(row)
    if (length >= 2 * this.perGroup) this.seal()
    return this.length
  }

  /** Removes the last row and returns it. */
  pop(): Row | undefined {
    if (this.open.length === 0 && this.sealed.length > 0) this.unseal()
    return this.open.pop()
  }

  /** Replaces the content by row groups and the rows behind them. */
  restore(rowGroups: ReadonlyArray<Columns>, tail: ReadonlyArray<Row>): void {
    this.sealed = [...rowGroups]
    this.open = [...tail]
    this.cached.clear()
  }

  /** Moves the first open rows into columns. */
  private seal(): void {
    this.sealed.push(this.codec.encode(this.open.slice(0, this.perGroup)))
    this.open = this.open.slice(this.perGroup)
  }

  /** Turns the last row group into objects. */
  private unseal(): void {
    const columns = this.sealed.pop()!
    this.cached.clear()
    for (let i = 0; i < this.perGroup; i++) this.open.push(this.codec.decode(columns, i))
  }

  private decoded(position: number): Row {
    const known = this.cached.get(position)
    if (known !== undefined) return known
    const row = this.codec.decode(
      this.sealed[Math.floor(position / this.perGroup)]!,
      position % this.perGroup
    )
    if (this.cached.size >= cachedMax) this.cached.clear()
    this.cached.set(position, row)
    return row
  }
}
