import type { Constraint, FacetSet, Key, KeyFacet } from "./facets.ts"
import { splitThreshold } from "../_heavy.ts"
import { fill } from "./_bulk_append.ts"
import { type Branches, newBranches, IndexNode } from "./_index_node.ts"
import { lowerBound } from "../_binary_search.ts"
import { PositionRange } from "./position_set.ts"
import { TextIndex } from "./_text_index.ts"

/** A row that stays at its position and changes. */
interface Change<Row> {
  readonly position: number
  readonly before: Row
  readonly after: Row
}

const nothing: ReadonlyArray<number> = []

/**
 * Finds the rows that meet any combination of constraints as lists of ascending positions. Facets are asked in one
 * order; a node is divided by the facets that come later only where it is heavy and a query may combine them, so that
 * a lookup walks a few nodes and filters at most `splitThreshold` rows.
 */
export class FilterIndex<Row> {
  private readonly root: Branches
  private readonly changing: boolean

  private readonly set: FacetSet<Row>
  private readonly rowAt: (position: number) => Row

  /** @param rowAt what stands at a position that was appended */
  constructor(set: FacetSet<Row>, rowAt: (position: number) => Row) {
    this.set = set
    this.rowAt = rowAt
    this.root = newBranches(set, rowAt, ~0)
    this.changing = set.facets.some((facet) => facet.kind === "key" && facet.changes)
  }

  /** Adds a row at a position above all others. */
  append(row: Row, position: number): void {
    this.file(this.root, ~0, row, position, true)
  }

  /** Adds the rows at the positions [from, to), above all others: what adding them one by one does, and faster. */
  appendAll(from: number, to: number): void {
    fill({ set: this.set, rowAt: this.rowAt }, this.root, ~0, { positions: null, from, to })
  }

  /** Removes the row at the greatest position. */
  removeLast(row: Row, position: number): void {
    this.file(this.root, ~0, row, position, false)
  }

  /** Files a position anew where its row, or its having one, changed; only changing facets may differ. */
  change(position: number, before: Row | null, after: Row | null): void {
    if (this.changing) this.move(this.root, before, after, position)
  }

  /** Files many ascending positions anew, each of which had a row and has one. */
  changeAll(
    positions: ReadonlyArray<number>,
    before: ReadonlyArray<Row>,
    after: ReadonlyArray<Row>
  ): void {
    if (this.changing) {
      this.moveAll(
        this.root,
        positions.map((position, i) => ({ position, before: before[i]!, after: after[i]! }))
      )
    }
  }

  /** The rows with one key. */
  positions(facet: number, key: Key): ReadonlyArray<number> {
    const branch = this.root[facet]
    return branch instanceof Map ? branch.get(key)?.positions ?? nothing : nothing
  }

  /** How many different keys the rows have. */
  keyCount(facet: number): number {
    const branch = this.root[facet]
    return branch instanceof Map ? branch.size : 0
  }

  /** Disjoint runs of the positions in [from, to) that meet all constraints, which stand in the order of the facets. */
  select(
    constraints: ReadonlyArray<Constraint>,
    from: number,
    to: number
  ): ReadonlyArray<PositionRange> {
    if (from >= to) return []
    if (constraints.length === 0) return [new PositionRange(null, from, to)]
    const runs: Array<PositionRange> = []
    this.collect(this.root, nothing, constraints, 0, from, to, runs)
    return runs
  }

  private collect(
    branches: Branches | null,
    positions: ReadonlyArray<number>,
    constraints: ReadonlyArray<Constraint>,
    at: number,
    from: number,
    to: number,
    runs: Array<PositionRange>
  ): void {
    const constraint = constraints[at]
    if (constraint === undefined) {
      runs.push(PositionRange.within(positions, from, to))
      return
    }
    const branch = branches?.[constraint.facet]
    if (branch instanceof TextIndex && constraint.kind === "text") {
      const { positions: candidates, exact } = branch.candidates(constraint.needle)
      if (exact) runs.push(PositionRange.within(candidates, from, to))
      else this.filter(candidates, constraints, at, from, to, runs)
    } else if (branch instanceof Map && constraint.kind === "key") {
      for (const key of constraint.keys) {
        const node = branch.get(key)
        if (node !== undefined) {
          this.collect(node.branches, node.positions, constraints, at + 1, from, to, runs)
        }
      }
    } else {
      this.filter(positions, constraints, at, from, to, runs)
    }
  }

  private filter(
    positions: ReadonlyArray<number>,
    constraints: ReadonlyArray<Constraint>,
    at: number,
    from: number,
    to: number,
    runs: Array<PositionRange>
  ): void {
    const found: Array<number> = []
    for (let i = lowerBound(positions, from); i < positions.length && positions[i]! < to; i++) {
      if (this.set.accepts(this.rowAt(positions[i]!), constraints, at)) found.push(positions[i]!)
    }
    runs.push(new PositionRange(found, 0, found.length))
  }

  /** Enters a position of a row under all its keys and texts, or takes it away again where it is the last one of all. */
  private file(
    branches: Branches,
    mask: number,
    row: Row,
    position: number,
    enters: boolean
  ): void {
    for (let place = 0; place < branches.length; place++) {
      const branch = branches[place]
      const facet = this.set.facets[place]!
      if (branch == null) continue
      if (facet.kind === "text") {
        if (!(branch instanceof TextIndex)) continue
        if (enters) branch.append(facet.text(row), position)
        else branch.removeLast(facet.text(row), position)
        continue
      }
      let seen: Key | null = null
      for (const keyOf of facet.keys) {
        const key: Key | null = keyOf(row)
        if (key === null || key === seen) continue
        seen = key
        if (enters) {
          this.enterKey(
            branch as Map<Key, IndexNode>,
            mask & this.set.combines[place]!,
            key,
            row,
            position
          )
        } else this.leaveKey(branch as Map<Key, IndexNode>, key, row, position)
      }
    }
  }

  private enterKey(
    branch: Map<Key, IndexNode>,
    mask: number,
    key: Key,
    row: Row,
    position: number
  ): void {
    const node = branch.get(key)
    if (node === undefined) {
      branch.set(key, new IndexNode(position))
      return
    }
    node.positions.push(position)
    if (node.branches !== null) {
      this.file(node.branches, mask, row, position, true)
    } else if (mask !== 0 && node.positions.length > splitThreshold) {
      node.branches = newBranches(this.set, this.rowAt, mask)
      for (const each of node.positions) {
        this.file(node.branches, mask, this.rowAt(each), each, true)
      }
    }
  }

  private leaveKey(branch: Map<Key, IndexNode>, key: Key, row: Row, position: number): void {
    const node = branch.get(key)!
    if (node.positions.pop() !== position) {
      throw new Error(`Position ${position} is not the last one under ${String(key)}`)
    }
    // a divided node stays divided while it holds rows: one that hovers around the threshold is not rebuilt each time
    if (node.positions.length === 0) branch.delete(key)
    else if (node.branches !== null) this.file(node.branches, ~0, row, position, false)
  }

  private move(branches: Branches, before: Row | null, after: Row | null, position: number): void {
    for (let place = 0; place < branches.length; place++) {
      const branch = branches[place]
      const facet = this.set.facets[place]!
      if (!(branch instanceof Map) || facet.kind === "text") continue
      if (facet.changes) refile(branch, facet, before, after, position)
      else if (after !== null) {
        let seen: Key | null = null
        for (const keyOf of facet.keys) {
          const key: Key | null = keyOf(after)
          if (key === null || key === seen) continue
          seen = key
          const below = branch.get(key)?.branches
          if (below != null) this.move(below, before, after, position)
        }
      }
    }
  }

  private moveAll(branches: Branches, changes: ReadonlyArray<Change<Row>>): void {
    for (let place = 0; place < branches.length; place++) {
      const branch = branches[place]
      const facet = this.set.facets[place]!
      if (!(branch instanceof Map) || facet.kind === "text") continue
      if (facet.changes) {
        refileAll(branch, facet, changes)
        continue
      }
      for (const [key, group] of groupBy(changes, facet.keys, ({ after }) => after)) {
        const below = branch.get(key)?.branches
        if (below != null) this.moveAll(below, group)
      }
    }
  }
}

const refile = <Row>(
  branch: Map<Key, IndexNode>,
  facet: KeyFacet<Row>,
  before: Row | null,
  after: Row | null,
  position: number
): void => {
  const keyOf = facet.keys[0]
  const left = before === null ? null : keyOf(before)
  const entered = after === null ? null : keyOf(after)
  if (left === entered) return
  if (left !== null) {
    const { positions } = branch.get(left)!
    positions.splice(lowerBound(positions, position), 1)
    if (positions.length === 0) branch.delete(left)
  }
  if (entered !== null) {
    const node = branch.get(entered)
    if (node === undefined) branch.set(entered, new IndexNode(position))
    else node.positions.splice(lowerBound(node.positions, position), 0, position)
  }
}

const refileAll = <Row>(
  branch: Map<Key, IndexNode>,
  facet: KeyFacet<Row>,
  changes: ReadonlyArray<Change<Row>>
): void => {
  const [keyOf] = facet.keys
  const moved = changes.filter(({ before, after }) => keyOf(before) !== keyOf(after))
  for (const [key, group] of groupBy(moved, facet.keys, ({ before }) => before)) {
    const { positions } = branch.get(key)!
    takeOut(positions, group)
    if (positions.length === 0) branch.delete(key)
  }
  for (const [key, group] of groupBy(moved, facet.keys, ({ after }) => after)) {
    let node = branch.get(key)
    let entered: ReadonlyArray<Change<Row>> = group
    if (node === undefined) {
      branch.set(key, node = new IndexNode(group[0]!.position))
      entered = group.slice(1)
    }
    putIn(node.positions, entered)
  }
}

/** The changes under each key of their row before or after, still ascending. */
const groupBy = <Row>(
  changes: ReadonlyArray<Change<Row>>,
  keys: KeyFacet<Row>["keys"],
  side: (change: Change<Row>) => Row
): Map<Key, Array<Change<Row>>> => {
  const groups = new Map<Key, Array<Change<Row>>>()
  for (const change of changes) {
    for (const key of new Set(keys.map((keyOf) => keyOf(side(change))))) {
      if (key === null) continue
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [change])
      else group.push(change)
    }
  }
  return groups
}

/** Removes ascending positions in one pass from the first of them on. */
const takeOut = (
  positions: Array<number>,
  out: ReadonlyArray<{ readonly position: number }>
): void => {
  let kept = out.length === 0 ? positions.length : lowerBound(positions, out[0]!.position)
  let next = 0
  for (let i = kept; i < positions.length; i++) {
    if (positions[i] === out[next]?.position) next++
    else positions[kept++] = positions[i]!
  }
  positions.length = kept
}

/** Inserts ascending positions in one pass down to the first of them. */
const putIn = (
  positions: Array<number>,
  entering: ReadonlyArray<{ readonly position: number }>
): void => {
  let left = positions.length - 1
  for (const { position } of entering) positions.push(position)
  let at = positions.length - 1
  for (let i = entering.length - 1; i >= 0; i--) {
    const { position } = entering[i]!
    while (left >= 0 && positions[left]! > position) positions[at--] = positions[left--]!
    positions[at--] = position
  }
}
