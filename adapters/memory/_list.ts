import {
  limitDefault,
  type ListDeclaration,
  type ListItems,
  type ListName,
  type ListQuery,
  lists
} from "../../core/contract/mod.ts"
import { NotRegistered, type Page, type UnregisteredThing } from "../../core/ports/mod.ts"
import type { Constraint, Key } from "./filter_index/mod.ts"
import { type DerivedFacet, indexSpecsOf } from "./state/mod.ts"
import { isRegistered } from "./_is_registered.ts"
import type { LedgerState } from "./state/mod.ts"
import { facetNumber } from "./state/mod.ts"
import { PositionSet } from "./filter_index/mod.ts"
import { sources } from "./_sources.ts"

/** One page with its counts, all of the ledger as it stands. */
export const listPage = <N extends ListName>(
  ledger: LedgerState,
  name: N,
  query: ListQuery<N>
): Page<ListItems[N]> | NotRegistered => {
  const asked = readFilters(ledger, name, query.filters)
  if (asked instanceof NotRegistered) return asked
  const source = sources[name](ledger, query.filters)
  const selection = new PositionSet(
    source.index.select(asked.constraints, asked.from, Math.min(asked.to, source.end))
  )
  const { order = "ASC", limit = limitDefault, fromItem } = query
  const isAscending = order === "ASC"
  const start = fromItem === undefined
    ? isAscending ? 0 : source.end
    : source.positionOf(isAscending ? fromItem : fromItem + 1)
  const positions = isAscending
    ? selection.ascendingFrom(start, limit)
    : selection.descendingBelow(start, limit)
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
const readFilters = (
  ledger: LedgerState,
  name: ListName,
  values: { readonly [filter: string]: unknown }
): Asked | NotRegistered => {
  const declaration: ListDeclaration = lists[name]
  const lines = indexSpecsOf(name)
  const keysByFilter = new Map<string, ReadonlySet<Key>>()
  const following: Array<readonly [filter: string, line: DerivedFacet<never>]> = []
  const constraints: Array<Constraint> = []
  const unknown: Array<UnregisteredThing> = []
  let from = 0
  let to = Infinity
  for (const [filter, value] of Object.entries(values)) {
    const declared = declaration.filters[filter]
    const line = lines[filter]
    if (value === undefined || declared === undefined || line === undefined) continue
    if (declared.match === "flag" && value === false) continue
    const kind = declared.references
    if (kind !== undefined) {
      for (const each of valuesOf(value)) {
        if (!isRegistered(ledger, kind, each as number)) {
          unknown.push({ filter, kind, value: each as number })
        }
      }
    }
    if (line.kind === "range") {
      const [first, end] = line.range(value, ledger)
      from = Math.max(from, first)
      to = Math.min(to, end)
    } else if (line.kind === "text") {
      if (value !== "") {
        constraints.push({ kind: "text", facet: facetNumber(name, filter), needle: String(value) })
      }
    } else {
      keysByFilter.set(filter, new Set(valuesOf(value)))
      if ("follows" in line) following.push([filter, line])
    }
  }
  if (isNonEmpty(unknown)) return new NotRegistered({ things: unknown, stamp: ledger.stamp })
  for (const [filter, { follows, keyOf }] of following) {
    const leading = keysByFilter.get(follows)
    if (leading === undefined) continue
    const asked = keysByFilter.get(filter)!
    keysByFilter.delete(filter)
    keysByFilter.set(follows, new Set([...leading].filter((key) => asked.has(keyOf(key, ledger)!))))
  }
  for (const [filter, keys] of keysByFilter) {
    constraints.push({ kind: "key", facet: facetNumber(name, filter), keys })
  }
  constraints.sort((one, other) => one.facet - other.facet)
  return { constraints, from, to }
}

const isNonEmpty = <T>(list: ReadonlyArray<T>): list is readonly [T, ...Array<T>] => list.length > 0

const valuesOf = (value: unknown): ReadonlyArray<Key> =>
  (Array.isArray(value) ? value : [value]) as ReadonlyArray<Key>
