import type { FacetSet } from "./facets.ts"
import { FilterIndex } from "./filter_index.ts"
import { firstNot } from "../_binary_search.ts"

/** Hands out item ids: they grow and are never used again, also after a rollback. */
export class ItemIds {
  private next = 1
  take(): number {
    return this.next++
  }
}

/**
 * The rows of one list in ascending order of `itemId`, indexed by their facets. Rows are added and removed at the end
 * only and never mutated, so whoever holds one holds a snapshot.
 */
export class Table<Row extends { readonly itemId: number }> {
  readonly rows: Array<Row> = []
  readonly itemIds: ItemIds
  readonly #index: FilterIndex<Row>
  /** Rows from here on are not in the index yet; Infinity where each is filed at once. */
  #postponed = Infinity

  constructor(facets: FacetSet<Row>, itemIds = new ItemIds()) {
    this.itemIds = itemIds
    this.#index = new FilterIndex(facets, (position) => this.rows[position]!)
  }

  get length(): number {
    return this.rows.length
  }

  get index(): FilterIndex<Row> {
    if (this.#postponed !== Infinity) { for (const _ of this.fileAll()) continue }
    return this.#index
  }

  /** Until `fileAll`, or until somebody looks into the index, rows are stored and not filed: many at once are filed faster. */
  postpone(): void {
    this.#postponed = this.rows.length
  }

  /** Files what was postponed, some thousand rows at each step. */
  *fileAll(): Generator<void, void> {
    while (this.#postponed < this.rows.length) {
      const from = this.#postponed
      this.#postponed = Math.min(this.rows.length, from + FILED_AT_ONCE)
      this.#index.appendAll(from, this.#postponed)
      yield
    }
    this.#postponed = Infinity
  }

  append(row: Row): void {
    const position = this.rows.length
    if (position > 0 && this.rows[position - 1]!.itemId >= row.itemId) {
      throw new Error(`Item ${row.itemId} comes too late`)
    }
    this.rows.push(row)
    if (this.#postponed === Infinity) this.#index.append(row, position)
  }

  replace(position: number, row: Row): void {
    const { index } = this
    const before = this.rows[position]!
    this.rows[position] = row
    index.change(position, before, row)
  }

  /** Replaces many rows at ascending positions in one pass over the lists that they change. */
  replaceAll(positions: ReadonlyArray<number>, rows: ReadonlyArray<Row>): void {
    const { index } = this
    const before = positions.map((position) => this.rows[position]!)
    positions.forEach((position, i) => this.rows[position] = rows[i]!)
    index.changeAll(positions, before, rows)
  }

  /** Removes the last row and returns it. */
  removeLast(): Row {
    const row = this.rows.at(-1)!
    if (this.rows.length <= this.#postponed) this.#index.removeLast(row, this.rows.length - 1)
    if (this.#postponed !== Infinity) {
      this.#postponed = Math.min(this.#postponed, this.rows.length - 1)
    }
    this.rows.pop()
    return row
  }

  truncate(length: number): void {
    while (this.rows.length > length) this.removeLast()
  }

  /** The position of the first row whose id is not below. */
  positionOf(itemId: number): number {
    return firstNot(0, this.rows.length, (position) => this.rows[position]!.itemId < itemId)
  }
}

/** Some ten milliseconds of work. */
const FILED_AT_ONCE = 8192
