import { TextIndex } from "./_text_index.ts"
import type { FacetSet, Key } from "./facets.ts"

/** The rows that share the keys on the path from the root. */
export class IndexNode {
  /** Ascending positions of the rows. */
  readonly positions: Array<number>
  /**
   * The same rows by each further facet; null until the node has more than `splitThreshold` rows.
   */
  branches: Branches | null = null
  constructor(positions: Array<number>) {
    this.positions = positions
  }
}

/** The lists of each facet by its number; null if no query combines it with the path. */
export type Branches = Array<Map<Key, IndexNode> | TextIndex | null>

/** Returns empty branches for the facets of a mask. */
export const newBranches = <Row>(
  facetSet: FacetSet<Row>,
  rowAt: (position: number) => Row,
  mask: number
): Branches =>
  facetSet.facets.map((facet, number) => {
    if ((mask & 1 << number) === 0) return null
    return facet.kind === "text"
      ? new TextIndex((position) => facet.text(rowAt(position)))
      : new Map<Key, IndexNode>()
  })
