import {
  type Filter,
  type ListDeclaration,
  type ListName,
  listNames,
  type ListRows,
  lists
} from "../../../core/contract/mod.ts"
import { type Facet, FacetSet, type Key, sideFacet } from "../filter_index/mod.ts"
import { type AnyIndexSpec, indexSpecs } from "./index_specs.ts"

/*
 * The facets of a list follow from what its filters compare. Filters by either side of a
 * transaction, by its sender and by its receiver share three facets with disjoint lists: what a key
 * sends to others, what it receives from others, and what it sends to itself.
 */

type AnyFacet = Facet<never>
type Keys = (row: never) => Key | null

/**
 * Returns the facets of a list: those of its filters, then `lookups`, which no filter uses and
 * which are not combined with any other.
 */
export const facetsOf = <N extends ListName, Row extends ListRows[N] = ListRows[N]>(
  name: N,
  lookups: ReadonlyArray<Facet<Row>> = []
): FacetSet<Row> => {
  const { exclusions }: ListDeclaration = lists[name]
  const { all, byFilter } = facetsByList.get(name)!
  const filtersOf = all.map((facet) =>
    [...byFilter].flatMap(([filter, facets]) => facets.includes(facet) ? [filter] : [])
  )
  const isExcluded = (one: string, other: string): boolean =>
    exclusions.some(([left, right]) =>
      (left === one && right === other) || (left === other && right === one)
    )
  const canCombine = (earlier: number, later: number): boolean => {
    const [filters, others] = [filtersOf[earlier] ?? [], filtersOf[later] ?? []]
    // the lists of one filter's facets are disjoint
    if (filters.some((filter) => others.includes(filter))) return false
    return filters.some((one) => others.some((other) => !isExcluded(one, other)))
  }
  const filterFacets: ReadonlyArray<unknown> = all
  return new FacetSet([...filterFacets as ReadonlyArray<Facet<Row>>, ...lookups], canCombine)
}

/** Returns the numbers of the facets of a filter in its list, ascending. */
export const facetNumbers = (name: ListName, filter: string): ReadonlyArray<number> =>
  facetsByList.get(name)!.numbers.get(filter)!

/** Returns the number of the only facet of a filter in its list. */
export const facetNumber = (name: ListName, filter: string): number =>
  facetNumbers(name, filter)[0]!

/** Returns the number of the first lookup of a list, which follows the facets of the filters. */
export const lookupNumber = (name: ListName): number => facetsByList.get(name)!.all.length

/** Returns the facets of the filters of a list in the order of lookups, by filter and in all. */
const facetsOfFilters = (name: ListName) => {
  const { filters }: ListDeclaration = lists[name]
  const pairs = Object.values<Filter>(filters).flatMap(({ compared: [sender, receiver] }) =>
    receiver === undefined ? [] : [pairOf(sender as Keys, receiver as Keys)]
  )
  const byFilter = new Map(
    Object.entries<Filter>(filters).map(([filter, declared]) => [
      filter,
      facetsOfFilter(declared, indexSpecs[name][filter]!.kind, pairs)
    ])
  )
  const all = [...new Set([...byFilter.values()].flat())].sort((a, b) => rankOf(a) - rankOf(b))
  const numbers = new Map(
    [...byFilter].map(([filter, facets]) => [
      filter,
      facets.map((facet) => all.indexOf(facet)).sort((a, b) => a - b)
    ])
  )
  return { all, byFilter, numbers }
}

/** Only the last facets may have keys that change, or texts. */
const rankOf = (facet: AnyFacet): number => facet.kind === "text" ? 2 : facet.isMutable ? 1 : 0

const pairOf = (sender: Keys, receiver: Keys) => ({
  sender,
  receiver,
  sent: sideFacet({ own: sender, other: receiver, areEqual: false }),
  received: sideFacet({ own: receiver, other: sender, areEqual: false }),
  sentToSelf: sideFacet({ own: sender, other: receiver, areEqual: true })
})

const facetsOfFilter = (
  { compared: [first, second], match }: Filter,
  kind: AnyIndexSpec["kind"],
  pairs: ReadonlyArray<ReturnType<typeof pairOf>>
): ReadonlyArray<AnyFacet> => {
  if (kind === "range" || kind === "adding") return []
  const pair = pairs.find(({ receiver, sender }) => sender === first || receiver === first)
  if (pair !== undefined) {
    const { received, sender, sent, sentToSelf } = pair
    if (second !== undefined) return [sent, received, sentToSelf]
    return [sender === first ? sent : received, sentToSelf]
  }
  const valueOf = first as Keys
  if (match === "contains") return [{ kind: "text", text: valueOf as (row: never) => string }]
  const keyOf = match === "flag" ? (row: never) => valueOf(row) === true ? true : null : valueOf
  return [{ kind: "key", keyOf, isMutable: kind !== "fixed" }]
}

const facetsByList = new Map(listNames.map((name) => [name, facetsOfFilters(name)]))
