import {
  IndexKeys,
  type IndexKey,
  sideIndexKey
} from "../../adapters/memory/filter_index/index_keys.ts"
import type { Random } from "./_random.ts"

/** A row for tests of the index. */
export interface Row {
  readonly itemId: number
  readonly one: number
  readonly other: number | null
  readonly colour: string
  readonly open: boolean
}

const key = (valueOf: IndexKey<Row>["valueOf"], isMutable = false): IndexKey<Row> => ({
  valueOf,
  isMutable
})
const oneOf = ({ one }: Row) => one
const otherOf = ({ other }: Row) => other
/** The numbers of the index keys. */
export const indexKeyOf = {
  oneOnly: 0,
  otherOnly: 1,
  oneAndOther: 2,
  colour: 3,
  remainder: 4,
  open: 5
}
const sides: ReadonlyArray<number> = [
  indexKeyOf.oneOnly,
  indexKeyOf.otherOnly,
  indexKeyOf.oneAndOther
]
/** Three index keys with disjoint lists, a colour, a key that excludes it, and a mutable key. */
export const indexKeys = new IndexKeys<Row>([
  sideIndexKey({ own: oneOf, other: otherOf, areEqual: false }),
  sideIndexKey({ own: otherOf, other: oneOf, areEqual: false }),
  sideIndexKey({ own: oneOf, other: otherOf, areEqual: true }),
  key((row) => row.colour),
  key((row) => row.one % 3),
  key((row) => row.open ? true : null, true)
], (earlier, later) =>
  !(sides.includes(earlier) && sides.includes(later)) &&
  !(earlier === indexKeyOf.colour && later === indexKeyOf.remainder) && earlier !== indexKeyOf.open)

export const colours = ["red", "green", "blue"]

export const randomRow = (itemId: number, random: Random): Row => ({
  itemId,
  one: random.below(5),
  other: random.chance(0.3) ? null : random.below(5),
  colour: random.of(colours),
  open: random.chance(0.5)
})
