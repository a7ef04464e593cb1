/** A value of a posting list. */
export type KeyValue = string | number | boolean

/** Lists a row under its value, unless the value is null. */
export interface ValueIndexKey<Row, K extends KeyValue = KeyValue> {
  readonly kind: "value"
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
): ValueIndexKey<Row, K> => ({
  kind: "value",
  valueOf: (row) => {
    const value = sides.own(row)
    return (value === sides.other(row)) === sides.areEqual ? value : null
  },
  isMutable: false,
  sides
})

/** Lists a row under every substring of its text. The last index key of its table. */
export interface TextIndexKey<Row> {
  readonly kind: "text"
  readonly text: (row: Row) => string
}

export type IndexKey<Row> = ValueIndexKey<Row> | TextIndexKey<Row>

/** A row has one of the values in one of the index keys. */
export interface ValueConstraint {
  readonly kind: "value"
  /** Ascending. The lists of the index keys under one value must be disjoint. */
  readonly indexKeys: ReadonlyArray<number>
  readonly values: ReadonlySet<KeyValue>
}

/** The text of a row contains the needle. */
interface TextConstraint {
  readonly kind: "text"
  /** A single one. */
  readonly indexKeys: ReadonlyArray<number>
  readonly needle: string
}

/** One condition of a query. */
export type Constraint = ValueConstraint | TextConstraint

/**
 * Returns the constraint that two others with the same value amount to, or null if their values differ
 * or they share no index key. Index keys with disjoint lists have no row in common, so a row that meets both
 * constraints is in a shared index key.
 */
export const sharedConstraint = (one: Constraint, other: Constraint): ValueConstraint | null => {
  if (one.kind === "text" || other.kind === "text") return null
  const indexKeys = one.indexKeys.filter((indexKey) => other.indexKeys.includes(indexKey))
  const [[value], [otherValue]] = [one.values, other.values]
  const haveSameValue = one.values.size === 1 && other.values.size === 1 && value === otherValue
  return haveSameValue && indexKeys.length > 0
    ? { kind: "value", indexKeys, values: one.values }
    : null
}

/** Rows above which a list gets an index of its own. A query filters a shorter list row by row. */
export const splitThreshold = 128

/**
 * The index keys of one table in the order in which an index looks them up, and the pairs that a query
 * may combine. Throws if an index key with a text or with mutable values can be combined with a later one.
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
    for (const [number, indexKey] of indexKeys.entries()) {
      const isMutable = indexKey.kind === "value" && indexKey.isMutable
      if ((isMutable || indexKey.kind === "text") && this.combinableMasks[number] !== 0) {
        throw new Error(`Index key ${number} has a text or changing values, so it must come last`)
      }
    }
  }

  /** Returns whether a row meets the constraints from index `from` on. */
  matches(row: Row, constraints: ReadonlyArray<Constraint>, from: number): boolean {
    for (let i = from; i < constraints.length; i++) {
      const constraint = constraints[i]!
      if (
        !constraint.indexKeys.some((number) => meetsIn(this.indexKeys[number]!, constraint, row))
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

/** Returns whether a row meets a constraint in one of the index keys that the constraint names. */
const meetsIn = <Row>(indexKey: IndexKey<Row>, constraint: Constraint, row: Row): boolean => {
  if (constraint.kind === "text") {
    return indexKey.kind === "text" && indexKey.text(row).includes(constraint.needle)
  }
  const value = indexKey.kind === "value" ? indexKey.valueOf(row) : null
  return value !== null && constraint.values.has(value)
}
