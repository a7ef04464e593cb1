/** A value of a posting list. */
export type KeyValue = string | number | boolean

/** Lists a row under its value, unless the value is null. */
export interface IndexKey<Row, K extends KeyValue = KeyValue> {
  readonly valueOf: (row: Row) => K | null
  /** Whether a replaced row can have another value. Such an index key follows all with fixed values. */
  readonly isMutable: boolean
  /** How `valueOf` compares two values of the row, if it does. */
  readonly sides?: Sides<Row, K>
}

/** Two values of a row, such as sender and receiver. */
interface Sides<Row, K extends KeyValue> {
  readonly own: (row: Row) => K | null
  readonly other: (row: Row) => K | null
  readonly areEqual: boolean
}

/** Returns an index key that lists a row under `own`, if both values are equal, or if they are not. */
export const sideIndexKey = <Row, K extends KeyValue>(
  sides: Sides<Row, K>
): IndexKey<Row, K> => ({
  valueOf: (row) => {
    const value = sides.own(row)
    return (value === sides.other(row)) === sides.areEqual ? value : null
  },
  isMutable: false,
  sides
})

/** One condition of a query: a row has one of the values in one of the index keys. */
export interface Constraint {
  /** Ascending. The lists of the index keys under one value must be disjoint. */
  readonly indexKeys: ReadonlyArray<number>
  readonly values: ReadonlySet<KeyValue>
}

/**
 * Returns the constraint that two others with the same value amount to, or null if their values differ
 * or they share no index key. Index keys with disjoint lists have no row in common, so a row that meets both
 * constraints is in a shared index key.
 */
export const sharedConstraint = (one: Constraint, other: Constraint): Constraint | null => {
  const indexKeys = one.indexKeys.filter((indexKey) => other.indexKeys.includes(indexKey))
  const [[value], [otherValue]] = [one.values, other.values]
  const haveSameValue = one.values.size === 1 && other.values.size === 1 && value === otherValue
  return haveSameValue && indexKeys.length > 0 ? { indexKeys, values: one.values } : null
}

/**
 * Rows above which a list gets an index of its own. A query filters a shorter list row by row. It buys
 * the row "page of a heavy account" of test/bench/RESULTS.md; with Infinity there are only lists of
 * single filters.
 */
export const splitThreshold = 128

/**
 * The index keys of one table in the order in which an index looks them up, and the pairs that a query
 * may combine. Throws if an index key with mutable values can be combined with a later one.
 */
export class IndexKeys<Row> {
  readonly indexKeys: ReadonlyArray<IndexKey<Row>>
  /** For each index key a bit mask of the later index keys that a query may combine with it. */
  readonly combinableMasks: ReadonlyArray<number>

  constructor(
    indexKeys: ReadonlyArray<IndexKey<Row>>,
    canCombine: (earlier: number, later: number) => boolean
  ) {
    this.indexKeys = indexKeys
    this.combinableMasks = indexKeys.map((_, earlier) =>
      indexKeys.reduce(
        (mask, __, later) =>
          later > earlier && canCombine(earlier, later) ? mask | 1 << later : mask,
        0
      )
    )
    for (const [number, { isMutable }] of indexKeys.entries()) {
      if (isMutable && this.combinableMasks[number] !== 0) {
        throw new Error(`Index key ${number} has changing values, so it must come last`)
      }
    }
  }

  /** Returns whether a row meets the constraints from index `from` on. */
  matches(row: Row, constraints: ReadonlyArray<Constraint>, from: number): boolean {
    for (let i = from; i < constraints.length; i++) {
      const constraint = constraints[i]!
      if (
        !constraint.indexKeys.some((number) => {
          const value = this.indexKeys[number]!.valueOf(row)
          return value !== null && constraint.values.has(value)
        })
      ) return false
    }
    return true
  }

  /** Returns whether the lists of the earlier constraint are indexed by the index keys of the later. */
  canCombine(earlier: Constraint, later: Constraint): boolean {
    const laterMask = later.indexKeys.reduce((mask, indexKey) => mask | 1 << indexKey, 0)
    return earlier.indexKeys.every((indexKey) =>
      (~this.combinableMasks[indexKey]! & laterMask) === 0
    )
  }
}
