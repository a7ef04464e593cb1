/** What a posting list is filed under. */
export type Key = string | number | boolean

/** A row is listed under each key that is not null. Two keys at most: sender and receiver. */
export interface KeyFacet<Row, K extends Key = Key> {
  readonly kind: "key"
  readonly keys:
    | readonly [(row: Row) => K | null]
    | readonly [(row: Row) => K | null, (row: Row) => K | null]
  /** The keys of a stored row can change. Such facets have one key and come after those whose keys stay. */
  readonly changes: boolean
}

/** A row is listed under every substring of its text. The last facet of its table. */
export interface TextFacet<Row> {
  readonly kind: "text"
  readonly text: (row: Row) => string
}

export type Facet<Row> = KeyFacet<Row> | TextFacet<Row>

/** What a query asks of one facet: one of several keys, or a substring. */
export type Constraint =
  | { readonly kind: "key"; readonly facet: number; readonly keys: ReadonlySet<Key> }
  | { readonly kind: "text"; readonly facet: number; readonly needle: string }

/** The facets of one table in the order in which an index asks them, and which of them a query may combine. */
export class FacetSet<Row> {
  readonly facets: ReadonlyArray<Facet<Row>>
  /** Bit per facet: the later ones that can be asked together with this one. */
  readonly combines: ReadonlyArray<number>

  constructor(
    facets: ReadonlyArray<Facet<Row>>,
    mayCombine: (earlier: number, later: number) => boolean
  ) {
    this.facets = facets
    this.combines = facets.map((_, earlier) =>
      facets.reduce(
        (mask, __, later) =>
          later > earlier && mayCombine(earlier, later) ? mask | 1 << later : mask,
        0
      )
    )
    for (const [place, facet] of facets.entries()) {
      const movable = facet.kind === "key" && facet.changes
      if (
        (movable && facet.keys.length > 1) ||
        ((movable || facet.kind === "text") && this.combines[place] !== 0)
      ) {
        throw new Error(
          `Facet ${place} has a text or changing keys, so it must come last and have one key`
        )
      }
    }
  }

  /** Whether a row meets the constraints from `at` on. */
  accepts(row: Row, constraints: ReadonlyArray<Constraint>, at: number): boolean {
    for (let i = at; i < constraints.length; i++) {
      const constraint = constraints[i]!
      if (!meets(this.facets[constraint.facet]!, constraint, row)) return false
    }
    return true
  }
}

const meets = <Row>(facet: Facet<Row>, constraint: Constraint, row: Row): boolean => {
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
