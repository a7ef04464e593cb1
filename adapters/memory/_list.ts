import { limitDefault, type ListDeclaration, type ListItems, type ListName, type ListQuery, lists } from "../../core/contract/mod.ts"
import { NotRegistered, type Page } from "../../core/ports/mod.ts"
import type { Constraint, Key } from "./_facet.ts"
import { linesOf } from "./_filter_lines.ts"
import { isRegistered } from "./_is_registered.ts"
import type { Ledger } from "./_ledger.ts"
import { facetPlace } from "./_list_facets.ts"
import { Selection } from "./_selection.ts"
import { sources } from "./_sources.ts"

/** One page with its counts, all of the ledger as it stands. */
export const listPage = <N extends ListName>(ledger: Ledger, name: N, query: ListQuery<N>): Page<ListItems[N]> | NotRegistered => {
  const asked = readFilters(ledger, name, query.filters)
  if (asked instanceof NotRegistered) return asked
  const source = sources[name](ledger, query.filters)
  const selection = new Selection(source.index.select(asked.constraints, asked.from, Math.min(asked.to, source.end)))
  const { order = "ASC", limit = limitDefault, fromItem } = query
  const isAscending = order === "ASC"
  const start = fromItem === undefined
    ? isAscending ? 0 : source.end
    : source.positionOf(isAscending ? fromItem : fromItem + 1)
  const positions = isAscending ? selection.ascendingFrom(start, limit) : selection.descendingBelow(start, limit)
  const ranked = selection.rank(start)
  return {
    items: positions.map(source.itemAt),
    counts: {
      pendingItems: (isAscending ? selection.count - ranked : ranked) - positions.length,
      totalItems: selection.count,
      firstItem: selection.count === 0 ? null : source.itemIdAt(selection.first),
      lastItem: selection.count === 0 ? null : source.itemIdAt(selection.last)
    },
    stamp: ledger.stamp
  }
}

interface Asked {
  readonly constraints: ReadonlyArray<Constraint>
  readonly from: number
  readonly to: number
}

/** Turns each filter into a constraint or a range by its line. */
const readFilters = (ledger: Ledger, name: ListName, values: { readonly [filter: string]: unknown }): Asked | NotRegistered => {
  const declaration: ListDeclaration = lists[name]
  const lines = linesOf(name)
  const keysByFacet = new Map<number, ReadonlySet<Key>>()
  const constraints: Array<Constraint> = []
  let from = 0
  let to = Infinity
  for (const [filter, value] of Object.entries(values)) {
    const declared = declaration.filters[filter]
    const line = lines[filter]
    if (value === undefined || declared === undefined || line === undefined) continue
    if (declared.match === "whenTrue" && value === false) continue
    if (declared.references !== undefined) {
      const unknown = valuesOf(value).find((each) => !isRegistered(ledger, declared.references!, each as number))
      if (unknown !== undefined) return new NotRegistered({ filter, kind: declared.references, value: unknown as number })
    }
    if (line.kind === "range") {
      const [first, end] = line.range(value, ledger)
      from = Math.max(from, first)
      to = Math.min(to, end)
    } else if (line.kind === "text") {
      if (value !== "") constraints.push({ kind: "text", facet: facetPlace(name, filter), needle: String(value) })
    } else {
      const facet = facetPlace(name, line.kind === "derived" ? line.from : filter)
      const keys = line.kind === "derived" ? line.keys(value, ledger) : new Set(valuesOf(value))
      const others = keysByFacet.get(facet)
      keysByFacet.set(facet, others === undefined ? keys : new Set([...keys].filter((key) => others.has(key))))
    }
  }
  for (const [facet, keys] of keysByFacet) constraints.push({ kind: "key", facet, keys })
  constraints.sort((one, other) => one.facet - other.facet)
  return { constraints, from, to }
}

const valuesOf = (value: unknown): ReadonlyArray<Key> => (Array.isArray(value) ? value : [value]) as ReadonlyArray<Key>
