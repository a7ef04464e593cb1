import { lowerBound } from "../_binary_search.ts"
import { BulkAppend } from "./_bulk_append.ts"
import { type Branches, IndexNode, newBranches } from "./_index_node.ts"
import { groupByKey, moveKey, moveKeys, type Replacement } from "./_mutable_keys.ts"
import { TextIndex } from "./_text_index.ts"
import {
  type Constraint,
  type FacetSet,
  type Key,
  sharedConstraint,
  splitThreshold
} from "./facets.ts"
import { PositionRange, PositionSet } from "./position_set.ts"

const noPositions: ReadonlyArray<number> = []
const allFacets = ~0

/**
 * Finds the rows that meet any allowed combination of constraints, as lists of ascending positions.
 * The lists form a tree: a query looks up its facets in their order, one level for each. A node has
 * branches for a later facet only if it has more than `splitThreshold` rows and a query may combine
 * the two. So a lookup visits a few nodes, and filters at most `splitThreshold` rows for each list.
 */
export class FilterIndex<Row> {
  private readonly root: Branches
  private readonly hasMutableKeys: boolean
  private readonly facetSet: FacetSet<Row>
  private readonly rowAt: (position: number) => Row

  /** @param rowAt Returns the row at a position of the index. */
  constructor(facetSet: FacetSet<Row>, rowAt: (position: number) => Row) {
    this.facetSet = facetSet
    this.rowAt = rowAt
    this.root = newBranches(facetSet, rowAt, allFacets)
    this.hasMutableKeys = facetSet.facets.some((facet) => facet.kind === "key" && facet.isMutable)
  }

  /** Adds a row at a position above all others. */
  append(row: Row, position: number): void {
    this.addTo(this.root, allFacets, row, position)
  }

  /**
   * Adds the rows at the positions [from, to), above all others. Faster than one by one. Yields
   * after each step; the index is incomplete until the last one.
   */
  appendRange(from: number, to: number): Generator<void, void> {
    const { facetSet, rowAt } = this
    return new BulkAppend({ facetSet, rowAt }, from, to).append(this.root, allFacets)
  }

  /** Removes the row at the greatest position. Throws if another row has a greater one. */
  removeLast(row: Row, position: number): void {
    this.removeFrom(this.root, row, position)
  }

  /**
   * Moves a position to the lists of its new row. A row is null if the position has none. Only
   * mutable keys may differ.
   */
  reindex(position: number, before: Row | null, after: Row | null): void {
    if (this.hasMutableKeys) this.reindexIn(this.root, before, after, position)
  }

  /** As `reindex` for many ascending positions that have a row before and after. */
  reindexAll(
    positions: ReadonlyArray<number>,
    before: ReadonlyArray<Row>,
    after: ReadonlyArray<Row>
  ): void {
    if (this.hasMutableKeys) {
      this.reindexAllIn(
        this.root,
        positions.map((position, i) => ({ position, before: before[i]!, after: after[i]! }))
      )
    }
  }

  /** Returns the ascending positions of the rows with one key. */
  positionsOf(facet: number, key: Key): ReadonlyArray<number> {
    const branch = this.root[facet]
    return branch instanceof Map ? branch.get(key)?.positions ?? noPositions : noPositions
  }

  /** Returns the different keys of a facet, in no particular order. */
  keysOf(facet: number): Iterable<Key> {
    const branch = this.root[facet]
    return branch instanceof Map ? branch.keys() : []
  }

  /** Returns the number of different keys of a facet. */
  keyCount(facet: number): number {
    const branch = this.root[facet]
    return branch instanceof Map ? branch.size : 0
  }

  /**
   * Returns the positions in [from, to) that meet all constraints, which are in facet order. If two
   * of them cannot be combined, it intersects the positions of both: their cost is that of the
   * shorter list, not of a page.
   */
  select(constraints: ReadonlyArray<Constraint>, from: number, to: number): PositionSet {
    if (from >= to) return new PositionSet([])
    if (constraints.length === 0) return new PositionSet([new PositionRange(null, from, to)])
    for (const [i, earlier] of constraints.entries()) {
      for (const later of constraints.slice(i + 1)) {
        if (this.facetSet.canCombine(earlier, later)) continue
        const without = (dropped: Constraint) => constraints.filter((each) => each !== dropped)
        const shared = sharedConstraint(earlier, later)
        return shared === null
          ? this.select(without(later), from, to)
            .intersection(this.select(without(earlier), from, to))
          : this.select(without(later).with(i, shared), from, to)
      }
    }
    const ranges: Array<PositionRange> = []
    this.collect(this.root, noPositions, constraints, 0, from, to, ranges)
    return new PositionSet(ranges)
  }

  /** Collects the positions that meet the constraints from index `at` on. */
  private collect(
    branches: Branches | null,
    positions: ReadonlyArray<number>,
    constraints: ReadonlyArray<Constraint>,
    at: number,
    from: number,
    to: number,
    ranges: Array<PositionRange>
  ): void {
    const constraint = constraints[at]
    if (constraint === undefined) {
      ranges.push(PositionRange.slice(positions, from, to))
      return
    }
    if (branches === null) {
      ranges.push(this.filter(positions, constraints, at, from, to))
      return
    }
    for (const facet of constraint.facets) {
      const branch = branches[facet]
      if (branch instanceof TextIndex && constraint.kind === "text") {
        const { positions: candidates, isExact } = branch.candidates(constraint.needle)
        if (isExact) ranges.push(PositionRange.slice(candidates, from, to))
        else ranges.push(this.filter(candidates, constraints, at, from, to))
      } else if (branch instanceof Map && constraint.kind === "key") {
        for (const key of constraint.keys) {
          const node = branch.get(key)
          if (node !== undefined) {
            this.collect(node.branches, node.positions, constraints, at + 1, from, to, ranges)
          }
        }
      }
    }
  }

  private filter(
    positions: ReadonlyArray<number>,
    constraints: ReadonlyArray<Constraint>,
    at: number,
    from: number,
    to: number
  ): PositionRange {
    const matching: Array<number> = []
    for (let i = lowerBound(positions, from); i < positions.length && positions[i]! < to; i++) {
      const position = positions[i]!
      if (this.facetSet.matches(this.rowAt(position), constraints, at)) matching.push(position)
    }
    return new PositionRange(matching, 0, matching.length)
  }

  private addTo(branches: Branches, mask: number, row: Row, position: number): void {
    for (let number = 0; number < branches.length; number++) {
      const branch = branches[number]
      const facet = this.facetSet.facets[number]!
      if (branch instanceof Map && facet.kind === "key") {
        const key = facet.keyOf(row)
        const maskBelow = mask & this.facetSet.combinableMasks[number]!
        if (key !== null) this.addKey(branch, maskBelow, key, row, position)
      } else if (branch instanceof TextIndex && facet.kind === "text") {
        branch.append(facet.text(row), position)
      }
    }
  }

  private removeFrom(branches: Branches, row: Row, position: number): void {
    for (let number = 0; number < branches.length; number++) {
      const branch = branches[number]
      const facet = this.facetSet.facets[number]!
      if (branch instanceof Map && facet.kind === "key") {
        const key = facet.keyOf(row)
        if (key !== null) this.removeKey(branch, key, row, position)
      } else if (branch instanceof TextIndex && facet.kind === "text") {
        branch.removeLast(facet.text(row), position)
      }
    }
  }

  private addKey(
    branch: Map<Key, IndexNode>,
    mask: number,
    key: Key,
    row: Row,
    position: number
  ): void {
    const node = branch.get(key)
    if (node === undefined) {
      branch.set(key, new IndexNode([position]))
      return
    }
    node.positions.push(position)
    if (node.branches !== null) {
      this.addTo(node.branches, mask, row, position)
    } else if (mask !== 0 && node.positions.length > splitThreshold) {
      node.branches = newBranches(this.facetSet, this.rowAt, mask)
      for (const each of node.positions) {
        this.addTo(node.branches, mask, this.rowAt(each), each)
      }
    }
  }

  private removeKey(branch: Map<Key, IndexNode>, key: Key, row: Row, position: number): void {
    const node = branch.get(key)!
    if (node.positions.pop() !== position) {
      throw new Error(`Position ${position} is not the last one under ${String(key)}`)
    }
    // a node keeps its branches until it is empty, so it is not rebuilt around the threshold
    if (node.positions.length === 0) branch.delete(key)
    else if (node.branches !== null) this.removeFrom(node.branches, row, position)
  }

  private reindexIn(
    branches: Branches,
    before: Row | null,
    after: Row | null,
    position: number
  ): void {
    for (let number = 0; number < branches.length; number++) {
      const branch = branches[number]
      const facet = this.facetSet.facets[number]!
      if (!(branch instanceof Map) || facet.kind === "text") continue
      if (facet.isMutable) moveKey(branch, facet, before, after, position)
      else if (after !== null) {
        const key = facet.keyOf(after)
        const below = key === null ? null : branch.get(key)?.branches
        if (below != null) this.reindexIn(below, before, after, position)
      }
    }
  }

  private reindexAllIn(branches: Branches, replacements: ReadonlyArray<Replacement<Row>>): void {
    for (let number = 0; number < branches.length; number++) {
      const branch = branches[number]
      const facet = this.facetSet.facets[number]!
      if (!(branch instanceof Map) || facet.kind === "text") continue
      if (facet.isMutable) {
        moveKeys(branch, facet, replacements)
        continue
      }
      for (const [key, group] of groupByKey(replacements, ({ after }) => facet.keyOf(after))) {
        const below = branch.get(key)?.branches
        if (below != null) this.reindexAllIn(below, group)
      }
    }
  }
}
