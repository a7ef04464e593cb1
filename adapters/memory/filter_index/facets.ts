/** A key of a posting list. */
export type Key = string | number | boolean

/** Lists a row under its key, unless the key is null. */
export interface KeyFacet<Row, K extends Key = Key> {
  readonly kind: "key"
  readonly keyOf: (row: Row) => K | null
  /** Whether a replaced row can have another key. Such a facet follows all with fixed keys. */
  readonly isMutable: boolean
  /** How `keyOf` compares two keys of the row, if it does. */
  readonly sides?: Sides<Row, K>
}

/** Two keys of a row, such as sender and receiver. */
interface Sides<Row, K extends Key> {
  readonly own: (row: Row) => K | null
  readonly other: (row: Row) => K | null
  readonly areEqual: boolean
}

/** Returns a facet that lists a row under `own`, if both keys are equal, or if they are not. */
export const sideFacet = <Row, K extends Key>(sides: Sides<Row, K>): KeyFacet<Row, K> => ({
  kind: "key",
  keyOf: (row) => {
    const key = sides.own(row)
    return (key === sides.other(row)) === sides.areEqual ? key : null
  },
  isMutable: false,
  sides
})

/** Lists a row under every substring of its text. The last facet of its table. */
export interface TextFacet<Row> {
  readonly kind: "text"
  readonly text: (row: Row) => string
}

export type Facet<Row> = KeyFacet<Row> | TextFacet<Row>

/** A row has one of the keys in one of the facets. */
export interface KeyConstraint {
  readonly kind: "key"
  /** Ascending. The lists of the facets under one key must be disjoint. */
  readonly facets: ReadonlyArray<number>
  readonly keys: ReadonlySet<Key>
}

/** The text of a row contains the needle. */
interface TextConstraint {
  readonly kind: "text"
  /** A single one. */
  readonly facets: ReadonlyArray<number>
  readonly needle: string
}

/** One condition of a query. */
export type Constraint = KeyConstraint | TextConstraint

/**
 * Returns the constraint that two others with the same key amount to, or null if their keys differ
 * or they share no facet. Facets with disjoint lists have no row in common, so a row that meets both
 * constraints is in a shared facet.
 */
export const sharedConstraint = (one: Constraint, other: Constraint): KeyConstraint | null => {
  if (one.kind === "text" || other.kind === "text") return null
  const facets = one.facets.filter((facet) => other.facets.includes(facet))
  const [[key], [otherKey]] = [one.keys, other.keys]
  const haveSameKey = one.keys.size === 1 && other.keys.size === 1 && key === otherKey
  return haveSameKey && facets.length > 0 ? { kind: "key", facets, keys: one.keys } : null
}

/** Rows above which a list gets an index of its own. A query filters a shorter list row by row. */
export const splitThreshold = 128

/**
 * The facets of one table in the order in which an index looks them up, and the pairs that a query
 * may combine. Throws if a facet with a text or with mutable keys can be combined with a later one.
 */
export class FacetSet<Row> {
  readonly facets: ReadonlyArray<Facet<Row>>
  /** For each facet a bit mask of the later facets that a query may combine with it. */
  readonly combinableMasks: ReadonlyArray<number>

  constructor(
    facets: ReadonlyArray<Facet<Row>>,
    canCombine: (earlier: number, later: number) => boolean
  ) {
    this.facets = facets
    this.combinableMasks = facets.map((_, earlier) =>
      facets.reduce(
        (mask, __, later) =>
          later > earlier && canCombine(earlier, later) ? mask | 1 << later : mask,
        0
      )
    )
    for (const [number, facet] of facets.entries()) {
      const isMutable = facet.kind === "key" && facet.isMutable
      if ((isMutable || facet.kind === "text") && this.combinableMasks[number] !== 0) {
        throw new Error(`Facet ${number} has a text or changing keys, so it must come last`)
      }
    }
  }

  /** Returns whether a row meets the constraints from index `from` on. */
  matches(row: Row, constraints: ReadonlyArray<Constraint>, from: number): boolean {
    for (let i = from; i < constraints.length; i++) {
      const constraint = constraints[i]!
      if (
        !constraint.facets.some((number) => meetsIn(this.facets[number]!, constraint, row))
      ) return false
    }
    return true
  }

  /** Returns whether the lists of the earlier constraint are indexed by the facets of the later. */
  canCombine(earlier: Constraint, later: Constraint): boolean {
    const laterMask = later.facets.reduce((mask, facet) => mask | 1 << facet, 0)
    return earlier.facets.every((facet) => (~this.combinableMasks[facet]! & laterMask) === 0)
  }
}

/** Returns whether a row meets a constraint in one of the facets that the constraint names. */
const meetsIn = <Row>(facet: Facet<Row>, constraint: Constraint, row: Row): boolean => {
  if (constraint.kind === "text") {
    return facet.kind === "text" && facet.text(row).includes(constraint.needle)
  }
  const key = facet.kind === "key" ? facet.keyOf(row) : null
  return key !== null && constraint.keys.has(key)
}
