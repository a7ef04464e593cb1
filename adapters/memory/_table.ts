import type { FacetSet } from "./_facet.ts"
import { PostingTree } from "./_posting_tree.ts"
import { firstNot } from "./_search.ts"

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
  readonly index: PostingTree<Row>

  constructor(facets: FacetSet<Row>, itemIds = new ItemIds()) {
    this.itemIds = itemIds
    this.index = new PostingTree(facets, (position) => this.rows[position]!)
  }

  get length(): number {
    return this.rows.length
  }

  append(row: Row): void {
    const position = this.rows.length
    if (position > 0 && this.rows[position - 1]!.itemId >= row.itemId) throw new Error(`Item ${row.itemId} comes too late`)
    this.rows.push(row)
    this.index.append(row, position)
  }

  replace(position: number, row: Row): void {
    const before = this.rows[position]!
    this.rows[position] = row
    this.index.change(position, before, row)
  }

  /** Replaces many rows at ascending positions in one pass over the lists that they change. */
  replaceAll(positions: ReadonlyArray<number>, rows: ReadonlyArray<Row>): void {
    const before = positions.map((position) => this.rows[position]!)
    positions.forEach((position, i) => this.rows[position] = rows[i]!)
    this.index.changeAll(positions, before, rows)
  }

  /** Removes the last row and returns it. */
  removeLast(): Row {
    const row = this.rows.at(-1)!
    this.index.removeLast(row, this.rows.length - 1)
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
