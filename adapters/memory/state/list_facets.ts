import {
  type ListDeclaration,
  type ListName,
  listNames,
  lists
} from "../../../core/contract/mod.ts"
import { type Facet, FacetSet } from "../filter_index/mod.ts"
import { type AnyIndexSpec, indexSpecsOf, type ListRows } from "./index_specs.ts"

/** The facets of a list: those of its filters, then `lookups`, which no filter asks and nothing is combined with. */
export const facetsOf = <N extends ListName>(
  name: N,
  lookups: ReadonlyArray<Facet<ListRows[N]>> = []
): FacetSet<ListRows[N]> => {
  const { exclusions }: ListDeclaration = lists[name]
  const own = Object.entries(indexSpecsOf(name)).flatMap(([filter, line]) =>
    isFacet(line) ? [{ filter, facet: line, follows: followed(line) }] : []
  )
  const mayCombine = (earlier: number, later: number): boolean => {
    const [one, other] = [own[earlier], own[later]]
    if (one === undefined || other === undefined) return false
    if (one.follows === other.filter || other.follows === one.filter) return false
    return !exclusions.some(([left, right]) =>
      (left === one.filter && right === other.filter) ||
      (left === other.filter && right === one.filter)
    )
  }
  return new FacetSet([...own.map(({ facet }) => facet), ...lookups], mayCombine)
}

/** Where the facet of a filter stands in the facets of its list. */
export const facetNumber = (name: ListName, filter: string): number =>
  places.get(name)!.get(filter)!

/** Where the first lookup stands, behind the facets of the filters. */
export const lookupNumber = (name: ListName): number => places.get(name)!.size

const isFacet = <Row>(line: AnyIndexSpec<Row>): line is Facet<Row> =>
  line.kind === "key" || line.kind === "text"
const followed = (line: object): string | null => "follows" in line ? line.follows as string : null

const places: ReadonlyMap<ListName, ReadonlyMap<string, number>> = new Map(
  listNames.map((name) => [
    name,
    new Map(
      Object.entries(indexSpecsOf(name)).filter(([, line]) => isFacet(line)).map((
        [filter],
        place
      ) => [filter, place])
    )
  ])
)
