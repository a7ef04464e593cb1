import { type Branches, IndexNode, newBranches } from "./_index_node.ts"
import { type IndexKey, type IndexKeys, type KeyValue, splitThreshold } from "./index_keys.ts"

/** The index keys and rows that an index is made of. */
interface IndexSource<Row> {
  readonly indexKeys: IndexKeys<Row>
  readonly rowAt: (position: number) => Row
}

/** The positions [from, to), or the elements [from, to) of a list of positions. */
interface Slice {
  readonly positions: ReadonlyArray<number> | null
  readonly from: number
  readonly to: number
}

/** A node that has grown, and its number of rows before. */
interface GrownNode {
  readonly node: IndexNode
  readonly rowsBefore: number
}

/** Rows whose values are read in one step, and rows of a list that is a step of its own. */
const rowsPerStep = 65_536

/**
 * Appends the rows at the positions [from, to), above all others, to an index, one index key after
 * the other. Yields after each step. The result is the same as that of appending them row by row. It
 * is several times as fast, because the values of a row are read once, and each list grows once.
 */
export function* bulkAppend<Row>(
  source: IndexSource<Row>,
  root: Branches,
  rootMask: number,
  from: number,
  to: number
): Generator<void, void> {
  if (from >= to) return
  const { combinableMasks } = source.indexKeys
  const codes = keyCodes(source, from, to)
  for (let at = from; at < to; at += rowsPerStep) {
    codes.read(at, Math.min(to, at + rowsPerStep))
    yield
  }

  /** Appends rows to one branch. Returns the nodes that have grown and need branches. */
  const appendToIndexKey = (
    branches: Branches,
    number: number,
    mask: number,
    slice: Slice
  ): ReadonlyArray<GrownNode> => {
    const branch = branches[number]
    if (branch == null) return []
    const grown = appendKeys(codes.codesOf(number, slice), codes.dictionary, branch, slice)
    return (mask & combinableMasks[number]!) === 0 ? [] : grown
  }
  /** Appends the new rows of a node to its branches, or splits the node if it became long. */
  const appendBelow = (mask: number, { node, rowsBefore }: GrownNode): void => {
    const { branches, positions } = node
    if (branches === null && positions.length <= splitThreshold) return
    const below = node.branches ??= newBranches(source.indexKeys, mask)
    const slice = { positions, from: branches === null ? 0 : rowsBefore, to: positions.length }
    for (const number of below.keys()) {
      for (const grown of appendToIndexKey(below, number, mask, slice)) {
        appendBelow(mask & combinableMasks[number]!, grown)
      }
    }
  }

  for (const number of root.keys()) {
    let rows = 0
    for (const grown of appendToIndexKey(root, number, rootMask, { positions: null, from, to })) {
      appendBelow(rootMask & combinableMasks[number]!, grown)
      rows += grown.node.positions.length - grown.rowsBefore
      if (rows < rowsPerStep) continue
      rows = 0
      yield
    }
    yield
  }
}

/**
 * Appends the rows to the lists of one index key, and returns the nodes that have grown. Counts the rows
 * of each value first, so that each list grows once.
 */
function appendKeys(
  codes: Int32Array,
  { counts, values, lists, next }: ValueDictionary,
  branch: Map<KeyValue, IndexNode>,
  { from, positions }: Slice
): ReadonlyArray<GrownNode> {
  const found: Array<number> = []
  for (const code of codes) if (code >= 0 && counts[code]!++ === 0) found.push(code)
  const grown = found.map((code) => grow(branch, values[code]!, counts[code]!))
  for (const [i, code] of found.entries()) {
    const { node, rowsBefore } = grown[i]!
    lists[code] = node.positions
    next[code] = rowsBefore
    counts[code] = 0
  }
  if (found.length === 0) return grown
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    const at = from + i
    if (code >= 0) lists[code]![next[code]!++] = positions === null ? at : positions[at]!
  }
  return grown
}

/** Makes room for `count` positions under a value. */
function grow(branch: Map<KeyValue, IndexNode>, value: KeyValue, count: number): GrownNode {
  let node = branch.get(value)
  if (node === undefined) branch.set(value, node = new IndexNode([]))
  const rowsBefore = node.positions.length
  node.positions.length += count
  return { node, rowsBefore }
}

/** The code of a null value. */
const noValue = -1

/** The values of all index keys as consecutive numbers, so that values of two columns can be compared. */
class ValueDictionary {
  /** The values by code. */
  readonly values: Array<KeyValue> = []
  /** Work space of a bulk append, by code: rows, list, and index of the next row in it. */
  readonly counts: Array<number> = []
  readonly lists: Array<Array<number>> = []
  readonly next: Array<number> = []
  private readonly codes = new Map<KeyValue, number>()

  /** Returns the code of a value, or −1 if it is null. */
  codeOf(value: KeyValue | null): number {
    if (value === null) return noValue
    let code = this.codes.get(value)
    if (code === undefined) {
      code = this.values.push(value) - 1
      this.counts.push(0)
      this.codes.set(value, code)
    }
    return code
  }
}

type ValueOf<Row> = IndexKey<Row>["valueOf"]

/** Rows that are in memory at the same time while their values are read. */
const rowsAtOnce = 1024

/**
 * Makes room for the codes of all index keys of the rows at the positions [start, end). A value that
 * several index keys read is read once for each row.
 */
function keyCodes<Row>(
  { indexKeys: { indexKeys }, rowAt }: IndexSource<Row>,
  start: number,
  end: number
) {
  const dictionary = new ValueDictionary()
  const columns = new Map<ValueOf<Row>, Int32Array>()
  const columnOf = (valueOf: ValueOf<Row>) => {
    const column = columns.get(valueOf) ?? new Int32Array(end - start)
    columns.set(valueOf, column)
    /** Returns the code of the value of a row, or −1 if the value is null. */
    return (position: number): number =>
      position >= start ? column[position - start]! : dictionary.codeOf(valueOf(rowAt(position)))
  }
  const keys = indexKeys.map(({ sides, valueOf }) =>
    sides === undefined
      ? { own: columnOf(valueOf), other: null, areEqual: true }
      : { own: columnOf(sides.own), other: columnOf(sides.other), areEqual: sides.areEqual }
  )
  /** Work space that all index keys use in turn. */
  let scratch = new Int32Array(end - start)
  return {
    dictionary,
    /**
     * Returns the codes of the values of an index key in the rows, −1 if a value is null. The next
     * call overwrites them.
     */
    codesOf: (indexKey: number, { from, positions, to }: Slice): Int32Array => {
      const { areEqual, other, own } = keys[indexKey]!
      if (scratch.length < to - from) scratch = new Int32Array(to - from)
      for (let i = from; i < to; i++) {
        const position = positions === null ? i : positions[i]!
        const code = own(position)
        scratch[i - from] = other === null || (code === other(position)) === areEqual
          ? code
          : noValue
      }
      return scratch.subarray(0, to - from)
    },
    /** Reads the values of the rows at the positions [from, to). */
    read: (from: number, to: number): void => {
      for (let at = from; at < to; at += rowsAtOnce) {
        const rows = Array.from({ length: Math.min(to - at, rowsAtOnce) }, (_, i) => rowAt(at + i))
        for (const [valueOf, column] of columns) {
          for (let i = 0; i < rows.length; i++) {
            column[at - start + i] = dictionary.codeOf(valueOf(rows[i]!))
          }
        }
      }
    }
  }
}
