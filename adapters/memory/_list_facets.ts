import { type ListDeclaration, type ListName, lists } from "../../core/contract/mod.ts"
import { type Facet, FacetSet } from "./_facet.ts"
import { type AnyLine, linesOf, type ListRows } from "./_filter_lines.ts"

/** The facets of a list: those of its filters, then `lookups`, which no filter asks and nothing is combined with. */
export const facetsOf = <N extends ListName>(name: N, lookups: ReadonlyArray<Facet<ListRows[N]>> = []): FacetSet<ListRows[N]> => {
  const { exclusions }: ListDeclaration = lists[name]
  const excluded = (one: string, other: string) =>
    exclusions.some(([left, right]) => (left === one && right === other) || (left === other && right === one))
  const facets: Array<Facet<ListRows[N]>> = []
  const filtersOfFacet: Array<ReadonlyArray<string>> = []
  for (const [filter, line] of Object.entries(linesOf(name))) {
    if (!isFacet(line)) continue
    facets.push(line)
    filtersOfFacet.push(filtersAsking(name, filter))
  }
  // a lookup has no filters, so it combines with nothing
  return new FacetSet([...facets, ...lookups], (earlier, later) =>
    (filtersOfFacet[earlier] ?? []).some((one) => (filtersOfFacet[later] ?? []).some((other) => !excluded(one, other))))
}

/** Where the facet of a filter stands in the facets of its list. */
export const facetPlace = <N extends ListName>(name: N, filter: string): number => {
  const own = Object.entries(linesOf(name)).filter(([, line]) => isFacet(line))
  return own.findIndex(([each]) => each === filter)
}

/** Where the first lookup stands, behind the facets of the filters. */
export const lookupPlace = (name: ListName): number =>
  Object.values(linesOf(name)).filter(isFacet).length

const isFacet = <Row>(line: AnyLine<Row>): line is Facet<Row> => line.kind === "key" || line.kind === "text"

const filtersAsking = (name: ListName, facet: string): ReadonlyArray<string> => [
  facet,
  ...Object.entries(linesOf(name)).flatMap(([filter, line]) => line.kind === "derived" && line.from === facet ? [filter] : [])
]
