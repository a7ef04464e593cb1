import { bulkAppend } from "./_bulk_append.ts"
import { type Branches, IndexNode, moveKeys, newBranches, type Replacement } from "./_index_node.ts"
import {
  type Constraint,
  type IndexKeys,
  type KeyValue,
  sharedConstraint,
  splitThreshold
} from "./index_keys.ts"
import { PositionRange, PositionSet } from "./position_set.ts"

const noPositions: ReadonlyArray<number> = []
const allIndexKeys = ~0

/**
 * Finds the rows that meet any allowed combination of constraints, as lists of ascending positions.
 * The lists form a tree: a query looks up its index keys in their order, one level for each. A node has
 * branches for a later index key only if it has more than `splitThreshold` rows and a query may combine
 * the two. So a lookup visits a few nodes, and filters at most `splitThreshold` rows for each list.
 */
export class FilterIndex<Row> {
  private readonly root: Branches
  private readonly hasMutableValues: boolean
  private readonly indexKeys: IndexKeys<Row>
  private readonly rowAt: (position: number) => Row

  /** @param rowAt Returns the row at a position of the index. */
  constructor(indexKeys: IndexKeys<Row>, rowAt: (position: number) => Row) {
    this.indexKeys = indexKeys
    this.rowAt = rowAt
    this.root = newBranches(indexKeys, allIndexKeys)
    this.hasMutableValues = indexKeys.indexKeys.some(({ isMutable }) => isMutable)
  }

  /** Adds a row at a position above all others. */
  append(row: Row, position: number): void {
    this.addTo(this.root, allIndexKeys, row, position)
  }

  /**
   * Adds the rows at the positions [from, to), above all others. Faster than one by one. Yields
   * after each step; the index is incomplete until the last one.
   */
  appendRange(from: number, to: number): Generator<void, void> {
    const { indexKeys, rowAt } = this
    return bulkAppend({ indexKeys, rowAt }, this.root, allIndexKeys, from, to)
  }

  /** Removes the row at the greatest position. Throws if another row has a greater one. */
  removeLast(row: Row, position: number): void {
    this.removeFrom(this.root, row, position)
  }

  /** Moves ascending positions to the lists of their new rows. Only mutable values may differ. */
  reindex(replacements: ReadonlyArray<Replacement<Row>>): void {
    if (this.hasMutableValues) this.reindexIn(this.root, replacements)
  }

  /** Returns the ascending positions of the rows with one value. */
  positionsOf(indexKey: number, value: KeyValue): ReadonlyArray<number> {
    return this.root[indexKey]?.get(value)?.positions ?? noPositions
  }

  /** Returns the different values of an index key, in no particular order. */
  valuesOf(indexKey: number): Iterable<KeyValue> {
    return this.root[indexKey]?.keys() ?? []
  }

  /**
   * Returns the positions in [from, to) that meet all constraints, which are in index key order. If two
   * of them cannot be combined, it intersects the positions of both: their cost is that of the
   * shorter list, not of a page.
   */
  select(constraints: ReadonlyArray<Constraint>, from: number, to: number): PositionSet {
    if (from >= to) return new PositionSet([])
    if (constraints.length === 0) return new PositionSet([new PositionRange(null, from, to)])
    for (const [i, earlier] of constraints.entries()) {
      for (const later of constraints.slice(i + 1)) {
        if (this.indexKeys.canCombine(earlier, later)) continue
        const without = (dropped: Constraint) => constraints.filter((each) => each !== dropped)
        const shared = sharedConstraint(earlier, later)
        return shared === null
          ? this.select(without(later), from, to)
            .intersection(this.select(without(earlier), from, to))
          : this.select(without(later).with(i, shared), from, to)
      }
    }
    const ranges: Array<PositionRange> = []
    /** Collects the positions that meet the constraints from index `at` on. */
    const collect = (branches: Branches | null, positions: ReadonlyArray<number>, at: number) => {
      const constraint = constraints[at]
      if (constraint === undefined) ranges.push(PositionRange.slice(positions, from, to))
      else if (branches === null) {
        const slice = PositionRange.slice(positions, from, to)
        const matching = positions.slice(slice.from, slice.to).filter((position) =>
          this.indexKeys.matches(this.rowAt(position), constraints, at)
        )
        ranges.push(new PositionRange(matching, 0, matching.length))
      } else {
        for (const indexKey of constraint.indexKeys) {
          for (const value of constraint.values) {
            const node = branches[indexKey]?.get(value)
            if (node !== undefined) collect(node.branches, node.positions, at + 1)
          }
        }
      }
    }
    collect(this.root, noPositions, 0)
    return new PositionSet(ranges)
  }

  private addTo(branches: Branches, mask: number, row: Row, position: number): void {
    for (let number = 0; number < branches.length; number++) {
      const branch = branches[number]
      if (branch == null) continue
      const value = this.indexKeys.indexKeys[number]!.valueOf(row)
      if (value === null) continue
      const node = branch.get(value)
      if (node === undefined) {
        branch.set(value, new IndexNode([position]))
        continue
      }
      node.positions.push(position)
      const maskBelow = mask & this.indexKeys.combinableMasks[number]!
      if (node.branches !== null) this.addTo(node.branches, maskBelow, row, position)
      else if (maskBelow !== 0 && node.positions.length > splitThreshold) {
        node.branches = newBranches(this.indexKeys, maskBelow)
        for (const each of node.positions) {
          this.addTo(node.branches, maskBelow, this.rowAt(each), each)
        }
      }
    }
  }

  private removeFrom(branches: Branches, row: Row, position: number): void {
    for (let number = 0; number < branches.length; number++) {
      const branch = branches[number]
      if (branch == null) continue
      const value = this.indexKeys.indexKeys[number]!.valueOf(row)
      if (value === null) continue
      const node = branch.get(value)!
      if (node.positions.pop() !== position) {
        throw new Error(`Position ${position} is not the last one under ${String(value)}`)
      }
      // a node keeps its branches until it is empty, so it is not rebuilt around the threshold
      if (node.positions.length === 0) branch.delete(value)
      else if (node.branches !== null) this.removeFrom(node.branches, row, position)
    }
  }

  private reindexIn(branches: Branches, replacements: ReadonlyArray<Replacement<Row>>): void {
    for (const [number, branch] of branches.entries()) {
      if (branch === null) continue
      const { isMutable, valueOf } = this.indexKeys.indexKeys[number]!
      if (isMutable) {
        moveKeys(branch, valueOf, replacements)
        continue
      }
      const groups = Map.groupBy(replacements, ({ after }) => {
        const value = after === null ? null : valueOf(after)
        return value === null ? null : branch.get(value)?.branches ?? null
      })
      for (const [below, group] of groups) if (below !== null) this.reindexIn(below, group)
    }
  }
}
