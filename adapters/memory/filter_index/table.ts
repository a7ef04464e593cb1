import { firstNot } from "../_binary_search.ts"
import type { FacetSet } from "./facets.ts"
import { FilterIndex } from "./filter_index.ts"

/** Assigns item ids. They grow, and no id is used again, not even after a rollback. */
export class ItemIds {
  #next = 1
  /** Returns the next id. */
  take(): number {
    return this.#next++
  }
}

/**
 * The rows of one list in ascending order of `itemId`, with an index of their facets. Rows are
 * added and removed only at the end, and replaced instead of mutated: a reference to a row is a
 * snapshot.
 */
export class Table<Row extends { readonly itemId: number }> {
  readonly rows: Array<Row> = []
  readonly itemIds: ItemIds
  readonly #index: FilterIndex<Row>
  /** Rows from this position on are not indexed yet; Infinity if indexing is not postponed. */
  #unindexedFrom = Infinity

  constructor(facets: FacetSet<Row>, itemIds = new ItemIds()) {
    this.itemIds = itemIds
    this.#index = new FilterIndex(facets, (position) => this.rows[position]!)
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

  /** Indexes the postponed rows, `rowsPerStep` at each step. */
  *indexPostponed(): Generator<void, void> {
    while (this.#unindexedFrom < this.rows.length) {
      const from = this.#unindexedFrom
      this.#unindexedFrom = Math.min(this.rows.length, from + rowsPerStep)
      this.#index.appendRange(from, this.#unindexedFrom)
      yield
    }
    this.#unindexedFrom = Infinity
  }

  /** Adds a row at the end. Throws if its item id is not greater than all others. */
  append(row: Row): void {
    const position = this.rows.length
    if (position > 0 && this.rows[position - 1]!.itemId >= row.itemId) {
      throw new Error(`Item ${row.itemId} comes too late`)
    }
    this.rows.push(row)
    if (this.#unindexedFrom === Infinity) this.#index.append(row, position)
  }

  /** Replaces the row at a position. Only mutable keys may differ. */
  replace(position: number, row: Row): void {
    const { index } = this
    const before = this.rows[position]!
    this.rows[position] = row
    index.reindex(position, before, row)
  }

  /** Replaces rows at ascending positions, with one pass over each list that changes. */
  replaceAll(positions: ReadonlyArray<number>, rows: ReadonlyArray<Row>): void {
    const { index } = this
    const before = positions.map((position) => this.rows[position]!)
    positions.forEach((position, i) => this.rows[position] = rows[i]!)
    index.reindexAll(positions, before, rows)
  }

  /** Removes the last row and returns it. */
  removeLast(): Row {
    const row = this.rows.at(-1)!
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
    return firstNot(0, this.rows.length, (position) => this.rows[position]!.itemId < itemId)
  }
}

/** Few enough that other fibers wait only briefly for a step to end. */
const rowsPerStep = 8192
