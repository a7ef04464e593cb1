/** A key of a posting list. */
export type Key = string | number | boolean

/**
 * Lists a row under each key that is not null. It has at most two keys, such as sender and
 * receiver.
 */
export interface KeyFacet<Row, K extends Key = Key> {
  readonly kind: "key"
  readonly keys:
    | readonly [(row: Row) => K | null]
    | readonly [(row: Row) => K | null, (row: Row) => K | null]
  /**
   * Whether a replaced row can have another key. Such a facet has one key and follows all facets
   * with fixed keys.
   */
  readonly isMutable: boolean
}

/** Lists a row under every substring of its text. The last facet of its table. */
export interface TextFacet<Row> {
  readonly kind: "text"
  readonly text: (row: Row) => string
}

export type Facet<Row> = KeyFacet<Row> | TextFacet<Row>

/** The condition of a query on one facet: one of several keys, or a substring. */
export type Constraint =
  | { readonly kind: "key"; readonly facet: number; readonly keys: ReadonlySet<Key> }
  | { readonly kind: "text"; readonly facet: number; readonly needle: string }

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
      if (
        (isMutable && facet.keys.length > 1) ||
        ((isMutable || facet.kind === "text") && this.combinableMasks[number] !== 0)
      ) {
        throw new Error(
          `Facet ${number} has a text or changing keys, so it must come last and have one key`
        )
      }
    }
  }

  /** Returns whether a row meets the constraints from index `from` on. */
  matches(row: Row, constraints: ReadonlyArray<Constraint>, from: number): boolean {
    for (let i = from; i < constraints.length; i++) {
      const constraint = constraints[i]!
      if (!meetsConstraint(this.facets[constraint.facet]!, constraint, row)) return false
    }
    return true
  }
}

const meetsConstraint = <Row>(facet: Facet<Row>, constraint: Constraint, row: Row): boolean => {
  if (facet.kind === "text") {
    return constraint.kind === "text" && facet.text(row).includes(constraint.needle)
  }
  if (constraint.kind === "text") return false
  for (const keyOf of facet.keys) {
    const key = keyOf(row)
    if (key !== null && constraint.keys.has(key)) return true
  }
  return false
}
