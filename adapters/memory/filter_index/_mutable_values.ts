import { lowerBound } from "../_binary_search.ts"
import { IndexNode } from "./_index_node.ts"
import type { IndexKey, KeyValue } from "./index_keys.ts"

/** A row that was replaced at its position. */
export interface Replacement<Row> {
  readonly position: number
  readonly before: Row
  readonly after: Row
}

/**
 * Moves a position from the list of its old value to that of its new value. `before` is null if the
 * position had no row, `after` if it has none any more.
 */
export const moveKey = <Row>(
  branch: Map<KeyValue, IndexNode>,
  valueOf: IndexKey<Row>["valueOf"],
  before: Row | null,
  after: Row | null,
  position: number
): void => {
  const oldValue = before === null ? null : valueOf(before)
  const newValue = after === null ? null : valueOf(after)
  if (oldValue === newValue) return
  if (oldValue !== null) {
    const { positions } = branch.get(oldValue)!
    positions.splice(lowerBound(positions, position), 1)
    if (positions.length === 0) branch.delete(oldValue)
  }
  if (newValue !== null) {
    const node = branch.get(newValue)
    if (node === undefined) branch.set(newValue, new IndexNode([position]))
    else node.positions.splice(lowerBound(node.positions, position), 0, position)
  }
}

/** As `moveKey` for many ascending positions, with one pass over each list. */
export const moveKeys = <Row>(
  branch: Map<KeyValue, IndexNode>,
  valueOf: IndexKey<Row>["valueOf"],
  replacements: ReadonlyArray<Replacement<Row>>
): void => {
  const moved = replacements.filter(({ before, after }) => valueOf(before) !== valueOf(after))
  for (const [value, group] of Map.groupBy(moved, ({ before }) => valueOf(before))) {
    if (value === null) continue
    const { positions } = branch.get(value)!
    removeSorted(positions, group)
    if (positions.length === 0) branch.delete(value)
  }
  for (const [value, group] of Map.groupBy(moved, ({ after }) => valueOf(after))) {
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
