import { firstNot } from "../_binary_search.ts"
import type { IndexKeys } from "./index_keys.ts"
import { FilterIndex } from "./filter_index.ts"

/** The rows of a table: an array, or a list that stores its rows in another way. */
export interface RowList<Row> {
  readonly length: number
  readonly at: (position: number) => Row | undefined
  readonly push: (row: Row) => number
  readonly pop: () => Row | undefined
  /** As `at`, but the row may lack members that no index key reads. */
  readonly keysAt?: (position: number) => Row
}

/**
 * The rows of one list in ascending order of `itemId`, with an index of their index keys. Rows are
 * added and removed only at the end.
 */
export class IndexedRows<Row extends { readonly itemId: number }, Rows extends RowList<Row>> {
  readonly rows: Rows
  readonly #index: FilterIndex<Row>
  /** Rows from this position on are not indexed yet; Infinity if indexing is not postponed. */
  #unindexedFrom = Infinity
  /** The steps that index the rows from there to `#indexingTo`; null before the first one. */
  #steps: Iterator<void> | null = null
  #indexingTo = 0

  constructor(indexKeys: IndexKeys<Row>, rows: Rows) {
    this.rows = rows
    this.#index = new FilterIndex(indexKeys, (position) => this.keysAt(position))
  }

  get length(): number {
    return this.rows.length
  }

  /** The index of all rows. If indexing was postponed, the first access completes it. */
  get index(): FilterIndex<Row> {
    if (this.#unindexedFrom !== Infinity) { for (const _ of this.indexPostponed()) continue }
    return this.#index
  }

  /**
   * Stops indexing new rows until `indexPostponed` or the next access to `index`. Indexing many
   * rows in bulk is faster.
   */
  postponeIndexing(): void {
    this.#unindexedFrom = this.rows.length
  }

  /** Postpones the index of all rows, which must not be indexed yet. */
  reindex(): void {
    this.#unindexedFrom = 0
  }

  /** Indexes the postponed rows, in steps of some ten thousand rows. */
  *indexPostponed(): Generator<void, void> {
    while (this.#unindexedFrom < this.rows.length) {
      if (this.#steps === null) {
        this.#indexingTo = this.rows.length
        this.#steps = this.#index.appendRange(this.#unindexedFrom, this.#indexingTo)
      }
      if (this.#steps.next().done !== true) {
        yield
        continue
      }
      this.#steps = null
      this.#unindexedFrom = this.#indexingTo
    }
    this.#unindexedFrom = Infinity
  }

  /** Adds a row at the end. Throws if its item id is not greater than all others. */
  append(row: Row): void {
    const position = this.rows.length
    if (position > 0 && this.itemIdAt(position - 1) >= row.itemId) {
      throw new Error(`Item ${row.itemId} comes too late`)
    }
    this.rows.push(row)
    if (this.#unindexedFrom === Infinity) this.#index.append(row, position)
  }

  /** Removes the last row and returns it. */
  removeLast(): Row {
    const row = this.rows.at(-1)!
    // a row that is being indexed must be indexed before it is removed
    if (this.#steps !== null) { for (const _ of this.indexPostponed()) continue }
    if (this.rows.length <= this.#unindexedFrom) this.#index.removeLast(row, this.rows.length - 1)
    if (this.#unindexedFrom !== Infinity) {
      this.#unindexedFrom = Math.min(this.#unindexedFrom, this.rows.length - 1)
    }
    this.rows.pop()
    return row
  }

  /** Removes the rows from position `length` on. */
  truncate(length: number): void {
    while (this.rows.length > length) this.removeLast()
  }

  /** Returns the position of the first row whose item id is at least `itemId`, or the length. */
  positionOf(itemId: number): number {
    return firstNot(0, this.rows.length, (position) => this.itemIdAt(position) < itemId)
  }

  itemIdAt(position: number): number {
    return this.keysAt(position).itemId
  }

  private keysAt(position: number): Row {
    return this.rows.keysAt?.(position) ?? this.rows.at(position)!
  }
}

/**
 * A table with its rows in an array. Rows are replaced instead of mutated: a reference to a row is
 * a snapshot.
 */
export class Table<Row extends { readonly itemId: number }> extends IndexedRows<Row, Array<Row>> {
  constructor(indexKeys: IndexKeys<Row>) {
    super(indexKeys, [])
  }

  /** Replaces the row at a position. Only mutable values may differ. */
  replace(position: number, row: Row): void {
    const { index } = this
    const before = this.rows[position]!
    this.rows[position] = row
    index.reindex([{ position, before, after: row }])
  }

  /** Replaces rows at ascending positions, with one pass over each list that changes. */
  replaceAll(positions: ReadonlyArray<number>, rows: ReadonlyArray<Row>): void {
    const { index } = this
    const replacements = positions.map((position, i) => ({
      position,
      before: this.rows[position]!,
      after: rows[i]!
    }))
    for (const { after, position } of replacements) this.rows[position] = after
    index.reindex(replacements)
  }

  /** Adds the rows of a checkpoint to an empty table. */
  restore(rows: ReadonlyArray<Row>): void {
    for (const row of rows) this.rows.push(row)
    for (const _ of this.index.appendRange(0, rows.length)) continue
  }
}
