import {
  type ListDeclaration,
  type ListName,
  listNames,
  lists
} from "../../../core/contract/mod.ts"
import { type Facet, FacetSet } from "../filter_index/mod.ts"
import { type AnyIndexSpec, indexSpecs, type ListRows } from "./index_specs.ts"

/**
 * Returns the facets of a list: those of its filters, then `lookups`, which no filter uses and
 * which are not combined with any other.
 */
export const facetsOf = <N extends ListName>(
  name: N,
  lookups: ReadonlyArray<Facet<ListRows[N]>> = []
): FacetSet<ListRows[N]> => {
  const { exclusions }: ListDeclaration = lists[name]
  const specs = Object.entries(indexSpecs[name])
  const filterFacets = facetsOfFilters(name)
  const filtersOf = filterFacets.map((facet) =>
    specs.filter(([, spec]) => facetsOfSpec(spec).includes(facet))
      .map(([filter, spec]) => ({
        filter,
        derivedFrom: "derivedFrom" in spec ? spec.derivedFrom : null
      }))
  )
  const isExcluded = (one: FacetFilter, other: FacetFilter): boolean =>
    one.derivedFrom === other.filter || other.derivedFrom === one.filter ||
    exclusions.some(([left, right]) =>
      (left === one.filter && right === other.filter) ||
      (left === other.filter && right === one.filter)
    )
  const canCombine = (earlier: number, later: number): boolean => {
    const [filters, others] = [filtersOf[earlier] ?? [], filtersOf[later] ?? []]
    // the lists of one filter's facets are disjoint
    if (filters.some(({ filter }) => others.some((other) => other.filter === filter))) return false
    return filters.some((one) => others.some((other) => !isExcluded(one, other)))
  }
  return new FacetSet([...filterFacets, ...lookups], canCombine)
}

/** A filter that reads a facet, and the filter from which its key is derived. */
interface FacetFilter {
  readonly filter: string
  readonly derivedFrom: string | null
}

/** Returns the ascending numbers of the facets of a filter in its list. */
export const facetNumbers = (name: ListName, filter: string): ReadonlyArray<number> =>
  numbersOfFilters.get(name)!.get(filter)!

/** Returns the number of the only facet of a filter in its list. */
export const facetNumber = (name: ListName, filter: string): number =>
  facetNumbers(name, filter)[0]!

/** Returns the number of the first lookup of a list, which follows the facets of the filters. */
export const lookupNumber = (name: ListName): number => facetsOfFilters(name).length

/** Returns the facets of a spec; none for a range. */
const facetsOfSpec = <Row>(spec: AnyIndexSpec<Row>): ReadonlyArray<Facet<Row>> =>
  spec.kind === "facets"
    ? spec.facets
    : spec.kind === "key" || spec.kind === "text"
    ? [spec]
    : []

/** Returns the facets of all filters of a list, in the order of the specs. */
const facetsOfFilters = <N extends ListName>(name: N): ReadonlyArray<Facet<ListRows[N]>> => [
  ...new Set(
    Object.values<AnyIndexSpec<ListRows[N]>>(indexSpecs[name]).flatMap((spec) => facetsOfSpec(spec))
  )
]

const numbersOf = (name: ListName): ReadonlyMap<string, ReadonlyArray<number>> => {
  const all: ReadonlyArray<unknown> = facetsOfFilters(name)
  return new Map(
    Object.entries(indexSpecs[name]).flatMap(([filter, spec]) => {
      const numbers = facetsOfSpec<never>(spec as AnyIndexSpec<never>)
        .map((facet) => all.indexOf(facet))
      return numbers.length === 0 ? [] : [[filter, numbers.sort((one, other) => one - other)]]
    })
  )
}

const numbersOfFilters = new Map(listNames.map((name) => [name, numbersOf(name)]))
