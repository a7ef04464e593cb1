import type { FacetSet, Key } from "./facets.ts"
import { TextIndex } from "./_text_index.ts"

/** Rows that share the keys on the path from the root. */
export class IndexNode {
  readonly positions: Array<number>
  /** The same rows by each further facet; null while the node is light. */
  branches: Branches | null = null
  constructor(position: number) {
    this.positions = [position]
  }
}

/** By facet; null where the path excludes it. */
export type Branches = Array<Map<Key, IndexNode> | TextIndex | null>

/** Empty ones for the facets of a mask. */
export const newBranches = <Row>(
  set: FacetSet<Row>,
  rowAt: (position: number) => Row,
  mask: number
): Branches =>
  set.facets.map((facet, place) => {
    if ((mask & 1 << place) === 0) return null
    return facet.kind === "text"
      ? new TextIndex((position) => facet.text(rowAt(position)))
      : new Map<Key, IndexNode>()
  })
