import { FacetSet, type KeyFacet } from "../../adapters/memory/filter_index/facets.ts"
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

const key = (keys: KeyFacet<Row>["keys"], isMutable = false): KeyFacet<Row> => ({
  kind: "key",
  keys,
  isMutable
})
/**
 * Two fixed keys, a colour, a key that excludes the colour (facets 1 and 2), a mutable key, and a
 * text.
 */
export const facets = new FacetSet<Row>([
  key([(row) => row.one, (row) => row.other]),
  key([(row) => row.colour]),
  key([(row) => row.one % 3]),
  key([(row) => row.open ? true : null], true),
  { kind: "text", text: (row) => row.name }
], (earlier, later) => !(earlier === 1 && later === 2) && earlier !== 3)

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
