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
  const filterFacets = Object.entries(indexSpecs[name]).flatMap(([filter, spec]) =>
    isFacet(spec)
      ? [{ filter, facet: spec, derivedFrom: "derivedFrom" in spec ? spec.derivedFrom : null }]
      : []
  )
  const canCombine = (earlier: number, later: number): boolean => {
    const [one, other] = [filterFacets[earlier], filterFacets[later]]
    if (one === undefined || other === undefined) return false
    if (one.derivedFrom === other.filter || other.derivedFrom === one.filter) return false
    return !exclusions.some(([left, right]) =>
      (left === one.filter && right === other.filter) ||
      (left === other.filter && right === one.filter)
    )
  }
  return new FacetSet([...filterFacets.map(({ facet }) => facet), ...lookups], canCombine)
}

/** Returns the number of the facet of a filter in its list. */
export const facetNumber = (name: ListName, filter: string): number =>
  facetNumbers.get(name)!.get(filter)!

/** Returns the number of the first lookup of a list, which follows the facets of the filters. */
export const lookupNumber = (name: ListName): number => facetNumbers.get(name)!.size

const isFacet = <Row>(spec: AnyIndexSpec<Row>): spec is Facet<Row> =>
  spec.kind === "key" || spec.kind === "text"

const facetNumbers: ReadonlyMap<ListName, ReadonlyMap<string, number>> = new Map(
  listNames.map((name) => [
    name,
    new Map(
      Object.entries(indexSpecs[name])
        .filter(([, spec]) => isFacet(spec))
        .map(([filter], number) => [filter, number])
    )
  ])
)
