import { lowerBound } from "../_binary_search.ts"

/** Positions in ascending order: a stretch of a posting list, or, without a list, the positions [from, to) themselves. */
export class PositionRange {
  readonly positions: ReadonlyArray<number> | null
  readonly from: number
  readonly to: number

  constructor(positions: ReadonlyArray<number> | null, from: number, to: number) {
    this.positions = positions
    this.from = from
    this.to = to
  }

  /** The part of a posting list that lies in the positions [from, to). */
  static within(positions: ReadonlyArray<number>, from: number, to: number): PositionRange {
    const start = lowerBound(positions, from)
    return new PositionRange(positions, start, lowerBound(positions, to, start))
  }

  at(index: number): number {
    return this.positions === null ? index : this.positions[index]!
  }

  /** Index of the first position that is not below `position`. */
  seek(position: number): number {
    return this.positions === null
      ? Math.min(Math.max(position, this.from), this.to)
      : lowerBound(this.positions, position, this.from, this.to)
  }
}

/** A set of positions as disjoint runs: counted and ranked without walking it. */
export class PositionSet {
  readonly runs: ReadonlyArray<PositionRange>
  readonly count: number

  constructor(runs: ReadonlyArray<PositionRange>) {
    this.runs = runs.filter((run) => run.to > run.from)
    this.count = this.runs.reduce((sum, run) => sum + run.to - run.from, 0)
  }

  /** Infinity where the selection is empty. */
  get first(): number {
    return this.runs.reduce((least, run) => Math.min(least, run.at(run.from)), Infinity)
  }

  /** −Infinity where the selection is empty. */
  get last(): number {
    return this.runs.reduce((greatest, run) => Math.max(greatest, run.at(run.to - 1)), -Infinity)
  }

  /** How many of the selected positions are below `position`. */
  rank(position: number): number {
    return this.runs.reduce((sum, run) => sum + run.seek(position) - run.from, 0)
  }

  /** Up to `limit` positions from `position` on, ascending. */
  ascendingFrom(position: number, limit: number): ReadonlyArray<number> {
    return merge(this.runs, limit, 1, (run) => run.seek(position))
  }

  /** Up to `limit` positions below `position`, descending. */
  descendingBelow(position: number, limit: number): ReadonlyArray<number> {
    return merge(this.runs, limit, -1, (run) => run.seek(position) - 1)
  }
}

/** A place in a run, ordered by the position that stands there. */
interface Cursor {
  readonly run: PositionRange
  index: number
  position: number
}

const merge = (
  runs: ReadonlyArray<PositionRange>,
  limit: number,
  step: 1 | -1,
  start: (run: PositionRange) => number
): ReadonlyArray<number> => {
  const found: Array<number> = []
  const heap: Array<Cursor> = []
  for (const run of runs) {
    const index = start(run)
    if (index >= run.from && index < run.to) heap.push({ run, index, position: run.at(index) })
  }
  for (let node = (heap.length >> 1) - 1; node >= 0; node--) sink(heap, node, step)
  while (found.length < limit && heap.length > 0) {
    const top = heap[0]!
    found.push(top.position)
    top.index += step
    if (top.index >= top.run.from && top.index < top.run.to) {
      top.position = top.run.at(top.index)
    } else {
      const tail = heap.pop()!
      if (heap.length === 0) break
      heap[0] = tail
    }
    sink(heap, 0, step)
  }
  return found
}

const sink = (heap: Array<Cursor>, start: number, step: 1 | -1): void => {
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
