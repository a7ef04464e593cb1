/** Converts rows to columns and back. Columns are plain data: numbers, texts, maps, typed arrays. */
export interface RowCodec<Row, Columns> {
  readonly encode: (rows: ReadonlyArray<Row>) => Columns
  /** Returns the row at an index of the columns. */
  readonly decode: (columns: Columns, index: number) => Row
}

/**
 * Rows of one segment: encoding them takes a few milliseconds. Segments are part of the format of
 * checkpoints, so another number needs another format.
 */
const defaultRowsPerSegment = 2048
/** Decoded rows that are cached, so that frequent reads return the same objects. */
const cachedMax = 8192

/**
 * An append-only list. Its last rows are objects; the rows before them are in columns, `perSegment`
 * rows in each segment, and are decoded when they are read. A segment never changes.
 */
export class SegmentedRows<Row, Columns> {
  readonly perSegment: number
  private readonly codec: RowCodec<Row, Columns>
  private sealed: Array<Columns> = []
  private open: Array<Row> = []
  private cached = new Map<number, Row>()

  constructor(codec: RowCodec<Row, Columns>, perSegment = defaultRowsPerSegment) {
    this.codec = codec
    this.perSegment = perSegment
  }

  get length(): number {
    return this.sealedLength + this.open.length
  }

  /** Number of rows in columns. */
  get sealedLength(): number {
    return this.sealed.length * this.perSegment
  }

  /** The columns, each with `perSegment` rows. */
  get segments(): ReadonlyArray<Columns> {
    return this.sealed
  }

  /** The rows behind the segments. */
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
    if (length >= 2 * this.perSegment) this.seal()
    return this.length
  }

  /** Removes the last row and returns it. */
  pop(): Row | undefined {
    if (this.open.length === 0 && this.sealed.length > 0) this.unseal()
    return this.open.pop()
  }

  /** Replaces the content by segments and the rows behind them. */
  restore(segments: ReadonlyArray<Columns>, tail: ReadonlyArray<Row>): void {
    this.sealed = [...segments]
    this.open = [...tail]
    this.cached.clear()
  }

  /** Moves the first open rows into columns, and returns their segment. */
  protected seal(): Columns {
    const columns = this.codec.encode(this.open.slice(0, this.perSegment))
    this.sealed.push(columns)
    this.open = this.open.slice(this.perSegment)
    return columns
  }

  /** Turns the last segment into objects. */
  protected unseal(): void {
    const columns = this.sealed.pop()!
    this.cached.clear()
    for (let i = 0; i < this.perSegment; i++) this.open.push(this.codec.decode(columns, i))
  }

  private decoded(position: number): Row {
    const known = this.cached.get(position)
    if (known !== undefined) return known
    const row = this.codec.decode(
      this.sealed[Math.floor(position / this.perSegment)]!,
      position % this.perSegment
    )
    if (this.cached.size >= cachedMax) this.cached.clear()
    this.cached.set(position, row)
    return row
  }
}
