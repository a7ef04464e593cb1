import { FacetSet, type KeyFacet, sideFacet } from "../../adapters/memory/filter_index/facets.ts"
import type { Random } from "./_random.ts"

/** A row for tests of the index. */
export interface Row {
  readonly itemId: number
  readonly one: number
  readonly other: number | null
  readonly colour: string
  readonly name: string
  readonly open: boolean
}

const key = (keyOf: KeyFacet<Row>["keyOf"], isMutable = false): KeyFacet<Row> => ({
  kind: "key",
  keyOf,
  isMutable
})
const oneOf = ({ one }: Row) => one
const otherOf = ({ other }: Row) => other
/** The numbers of the facets. */
export const facetOf = {
  oneOnly: 0,
  otherOnly: 1,
  oneAndOther: 2,
  colour: 3,
  remainder: 4,
  open: 5,
  name: 6
}
const sides: ReadonlyArray<number> = [facetOf.oneOnly, facetOf.otherOnly, facetOf.oneAndOther]
/**
 * Three facets with disjoint lists, a colour, a key that excludes the colour, a mutable key, and a
 * text.
 */
export const facets = new FacetSet<Row>([
  sideFacet({ own: oneOf, other: otherOf, areEqual: false }),
  sideFacet({ own: otherOf, other: oneOf, areEqual: false }),
  sideFacet({ own: oneOf, other: otherOf, areEqual: true }),
  key((row) => row.colour),
  key((row) => row.one % 3),
  key((row) => row.open ? true : null, true),
  { kind: "text", text: (row) => row.name }
], (earlier, later) =>
  !(sides.includes(earlier) && sides.includes(later)) &&
  !(earlier === facetOf.colour && later === facetOf.remainder) && earlier !== facetOf.open)

export const colours = ["red", "green", "blue"]
const syllables = ["ab", "ba", "abab", "c", "aaaaa", "🪙", ""]

export const randomRow = (itemId: number, random: Random): Row => ({
  itemId,
  one: random.below(5),
  other: random.chance(0.3) ? null : random.below(5),
  colour: random.of(colours),
  name: random.of(syllables) + random.of(syllables) + random.of(syllables),
  open: random.chance(0.5)
})
