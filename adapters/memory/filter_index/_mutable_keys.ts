import { lowerBound } from "../_binary_search.ts"
import { IndexNode } from "./_index_node.ts"
import type { Key, KeyFacet } from "./facets.ts"

/** A row that was replaced at its position. */
export interface Replacement<Row> {
  readonly position: number
  readonly before: Row
  readonly after: Row
}

/**
 * Moves a position from the list of its old key to that of its new key. `before` is null if the
 * position had no row, `after` if it has none any more.
 */
export const moveKey = <Row>(
  branch: Map<Key, IndexNode>,
  facet: KeyFacet<Row>,
  before: Row | null,
  after: Row | null,
  position: number
): void => {
  const oldKey = before === null ? null : facet.keyOf(before)
  const newKey = after === null ? null : facet.keyOf(after)
  if (oldKey === newKey) return
  if (oldKey !== null) {
    const { positions } = branch.get(oldKey)!
    positions.splice(lowerBound(positions, position), 1)
    if (positions.length === 0) branch.delete(oldKey)
  }
  if (newKey !== null) {
    const node = branch.get(newKey)
    if (node === undefined) branch.set(newKey, new IndexNode([position]))
    else node.positions.splice(lowerBound(node.positions, position), 0, position)
  }
}

/** As `moveKey` for many ascending positions, with one pass over each list. */
export const moveKeys = <Row>(
  branch: Map<Key, IndexNode>,
  { keyOf }: KeyFacet<Row>,
  replacements: ReadonlyArray<Replacement<Row>>
): void => {
  const moved = replacements.filter(({ before, after }) => keyOf(before) !== keyOf(after))
  for (const [key, group] of groupByKey(moved, ({ before }) => keyOf(before))) {
    const { positions } = branch.get(key)!
    removeSorted(positions, group)
    if (positions.length === 0) branch.delete(key)
  }
  for (const [key, group] of groupByKey(moved, ({ after }) => keyOf(after))) {
    const node = branch.get(key)
    if (node !== undefined) {
      insertSorted(node.positions, group)
      continue
    }
    const created = new IndexNode([group[0]!.position])
    branch.set(key, created)
    insertSorted(created.positions, group.slice(1))
  }
}

/** Groups replacements by a key, without those whose key is null. A group stays ascending. */
export const groupByKey = <Row>(
  replacements: ReadonlyArray<Replacement<Row>>,
  keyOf: (replacement: Replacement<Row>) => Key | null
): Map<Key, Array<Replacement<Row>>> => {
  const groups = new Map<Key, Array<Replacement<Row>>>()
  for (const replacement of replacements) {
    const key = keyOf(replacement)
    if (key === null) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [replacement])
    else group.push(replacement)
  }
  return groups
}

/** Removes ascending positions in one pass that starts at the first of them. */
const removeSorted = (
  positions: Array<number>,
  removed: ReadonlyArray<{ readonly position: number }>
): void => {
  let end = removed.length === 0 ? positions.length : lowerBound(positions, removed[0]!.position)
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
  for (let i = inserted.length - 1; i >= 0; i--) {
    const { position } = inserted[i]!
    while (source >= 0 && positions[source]! > position) {
      positions[target--] = positions[source--]!
    }
    positions[target--] = position
  }
}
