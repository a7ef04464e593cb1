import type { IndexKey, IndexKeys, KeyValue } from "./index_keys.ts"
import { lowerBound } from "../_binary_search.ts"

/** The rows that share the values on the path from the root. */
export class IndexNode {
  /** Ascending positions of the rows. */
  readonly positions: Array<number>
  /**
   * The same rows by each further index key; null until the node has more than `splitThreshold` rows.
   */
  branches: Branches | null = null
  constructor(positions: Array<number>) {
    this.positions = positions
  }
}

/** The lists of each index key by its number; null if no query combines it with the path. */
export type Branches = Array<Map<KeyValue, IndexNode> | null>

/** Returns empty branches for the index keys of a mask. */
export const newBranches = <Row>({ indexKeys }: IndexKeys<Row>, mask: number): Branches =>
  indexKeys.map((_, number) => (mask & 1 << number) === 0 ? null : new Map())

/** The rows of a position before and after a change; null if it has none. */
export interface Replacement<Row> {
  readonly position: number
  readonly before: Row | null
  readonly after: Row | null
}

/**
 * Moves ascending positions from the lists of their old values to those of their new ones, with one
 * pass over each list.
 */
export const moveKeys = <Row>(
  branch: Map<KeyValue, IndexNode>,
  valueOf: IndexKey<Row>["valueOf"],
  replacements: ReadonlyArray<Replacement<Row>>
): void => {
  const valueIn = (row: Row | null) => row === null ? null : valueOf(row)
  const moved = replacements.filter(({ before, after }) => valueIn(before) !== valueIn(after))
  for (const [value, group] of Map.groupBy(moved, ({ before }) => valueIn(before))) {
    if (value === null) continue
    const { positions } = branch.get(value)!
    removeSorted(positions, group)
    if (positions.length === 0) branch.delete(value)
  }
  for (const [value, group] of Map.groupBy(moved, ({ after }) => valueIn(after))) {
    if (value === null) continue
    const node = branch.get(value)
    if (node !== undefined) insertSorted(node.positions, group)
    else branch.set(value, new IndexNode(group.map(({ position }) => position)))
  }
}

/** Removes ascending positions in one pass that starts at the first of them. */
const removeSorted = (
  positions: Array<number>,
  removed: ReadonlyArray<{ readonly position: number }>
): void => {
  let end = lowerBound(positions, removed[0]!.position)
  // `splice` moves the elements behind it at the speed of memory
  if (removed.length === 1) return void positions.splice(end, 1)
  let next = 0
  for (let i = end; i < positions.length; i++) {
    if (positions[i] === removed[next]?.position) next++
    else positions[end++] = positions[i]!
  }
  positions.length = end
}

/** Inserts ascending positions in one pass from the end of the list down to the first of them. */
const insertSorted = (
  positions: Array<number>,
  inserted: ReadonlyArray<{ readonly position: number }>
): void => {
  const first = inserted[0]!.position
  if (inserted.length === 1) return void positions.splice(lowerBound(positions, first), 0, first)
  let source = positions.length - 1
  for (const { position } of inserted) positions.push(position)
  let target = positions.length - 1
  for (const { position } of inserted.toReversed()) {
    while (source >= 0 && positions[source]! > position) {
      positions[target--] = positions[source--]!
    }
    positions[target--] = position
  }
}
