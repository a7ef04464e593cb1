import { lowerBound, lowerBoundNear } from "../_binary_search.ts"

/** Ascending positions: the elements [from, to) of a posting list, or without a list [from, to). */
export class PositionRange {
  readonly positions: ReadonlyArray<number> | null
  readonly from: number
  readonly to: number

  constructor(positions: ReadonlyArray<number> | null, from: number, to: number) {
    this.positions = positions
    this.from = from
    this.to = to
  }

  /** Returns the part of a posting list whose positions are in [from, to). */
  static slice(positions: ReadonlyArray<number>, from: number, to: number): PositionRange {
    const start = lowerBound(positions, from)
    return new PositionRange(positions, start, lowerBound(positions, to, start))
  }

  at(index: number): number {
    return this.positions === null ? index : this.positions[index]!
  }

  /** Returns the index of the first position that is at least `position`, or `to`. */
  seek(position: number): number {
    return this.positions === null
      ? Math.min(Math.max(position, this.from), this.to)
      : lowerBound(this.positions, position, this.from, this.to)
  }

  /**
   * Returns the positions that are in both ranges. Reads some positions for each one of the shorter
   * range, however long the other one is.
   */
  intersection(other: PositionRange): PositionRange {
    if (this.positions === null) return other.within(this.from, this.to)
    if (other.positions === null) return this.within(other.from, other.to)
    const common: Array<number> = []
    for (let i = this.from, j = other.from; i < this.to && j < other.to;) {
      const [one, another] = [this.positions[i]!, other.positions[j]!]
      if (one === another) {
        common.push(one)
        i++
        j++
      } else if (one < another) i = lowerBoundNear(this.positions, another, i + 1, this.to)
      else j = lowerBoundNear(other.positions, one, j + 1, other.to)
    }
    return new PositionRange(common, 0, common.length)
  }

  /** Returns the part whose positions are in [from, to). */
  private within(from: number, to: number): PositionRange {
    const start = this.seek(from)
    return new PositionRange(this.positions, start, Math.max(start, this.seek(to)))
  }
}

/** A set of positions as disjoint ranges. Its size and ranks are computed without visiting each. */
export class PositionSet {
  readonly ranges: ReadonlyArray<PositionRange>
  readonly count: number

  constructor(ranges: ReadonlyArray<PositionRange>) {
    this.ranges = ranges.filter((range) => range.to > range.from)
    this.count = this.ranges.reduce((sum, range) => sum + range.to - range.from, 0)
  }

  /** Infinity if the set is empty. */
  get first(): number {
    return this.ranges.reduce((least, range) => Math.min(least, range.at(range.from)), Infinity)
  }

  /** −Infinity if the set is empty. */
  get last(): number {
    return this.ranges.reduce(
      (greatest, range) => Math.max(greatest, range.at(range.to - 1)),
      -Infinity
    )
  }

  /** Returns the number of positions below `position`. */
  rank(position: number): number {
    return this.ranges.reduce((sum, range) => sum + range.seek(position) - range.from, 0)
  }

  /** Returns the positions that are in both sets. */
  intersection(other: PositionSet): PositionSet {
    return new PositionSet(
      this.ranges.flatMap((range) => other.ranges.map((another) => range.intersection(another)))
    )
  }

  /** Returns up to `limit` positions from `position` on, ascending. */
  ascendingFrom(position: number, limit: number): ReadonlyArray<number> {
    return mergeRanges(this.ranges, limit, 1, (range) => range.seek(position))
  }

  /** Returns up to `limit` positions below `position`, descending. */
  descendingBelow(position: number, limit: number): ReadonlyArray<number> {
    return mergeRanges(this.ranges, limit, -1, (range) => range.seek(position) - 1)
  }
}

/** A range with the index of its next position. */
interface Cursor {
  readonly range: PositionRange
  index: number
  position: number
}

/** Returns up to `limit` positions of all ranges, ascending for step 1 and descending for −1. */
const mergeRanges = (
  ranges: ReadonlyArray<PositionRange>,
  limit: number,
  step: 1 | -1,
  start: (range: PositionRange) => number
): ReadonlyArray<number> => {
  const merged: Array<number> = []
  const heap: Array<Cursor> = []
  for (const range of ranges) {
    const index = start(range)
    if (index >= range.from && index < range.to) {
      heap.push({ range, index, position: range.at(index) })
    }
  }
  for (let node = (heap.length >> 1) - 1; node >= 0; node--) siftDown(heap, node, step)
  while (merged.length < limit && heap.length > 0) {
    const top = heap[0]!
    merged.push(top.position)
    top.index += step
    if (top.index >= top.range.from && top.index < top.range.to) {
      top.position = top.range.at(top.index)
    } else {
      const tail = heap.pop()!
      if (heap.length === 0) break
      heap[0] = tail
    }
    siftDown(heap, 0, step)
  }
  return merged
}

/** Restores the heap order below `start` after its position has changed. */
const siftDown = (heap: Array<Cursor>, start: number, step: 1 | -1): void => {
  let parent = start
  for (;;) {
    const left = 2 * parent + 1
    if (left >= heap.length) return
    const right = left + 1
    const child = right < heap.length && (heap[right]!.position - heap[left]!.position) * step < 0
      ? right
      : left
    if ((heap[child]!.position - heap[parent]!.position) * step >= 0) return
    const swapped = heap[child]!
    heap[child] = heap[parent]!
    heap[parent] = swapped
    parent = child
  }
}
