import { type Filter, type ListDeclaration, type ListName, lists } from "../../core/contract/mod.ts"
import { NotRegistered, type UnregisteredThing } from "../../core/ports/mod.ts"
import type { Constraint, Key } from "./filter_index/mod.ts"
import { facetNumbers, indexSpecs, type LedgerState } from "./state/mod.ts"

/** The constraints of a query in facet order, and its positions [from, to). */
export interface IndexSelection {
  readonly constraints: ReadonlyArray<Constraint>
  readonly from: number
  readonly to: number
}

/**
 * Turns each filter into a constraint or a range of positions, according to its spec. Returns
 * `NotRegistered` if filters name tokens, accounts or batches that do not exist.
 */
export const readFilters = (
  state: LedgerState,
  name: ListName,
  values: { readonly [filter: string]: unknown }
): IndexSelection | NotRegistered => {
  const declaration: ListDeclaration = lists[name]
  const specs = indexSpecs[name]
  const keysByFilter = new Map<string, ReadonlySet<Key>>()
  const constraints: Array<Constraint> = []
  const unregistered: Array<UnregisteredThing> = []
  let from = 0
  let to = Infinity
  for (const [filter, value] of Object.entries(values)) {
    const declared = declaration.filters[filter]
    const spec = specs[filter]
    if (value === undefined || declared === undefined || spec === undefined) continue
    if (spec.kind === "adding" || (declared.match === "flag" && value === false)) continue
    const kind = declared.references
    if (kind !== undefined) {
      for (const each of valuesOf(value)) {
        if (!isRegistered(state, kind, each as number)) {
          unregistered.push({ filter, kind, value: each as number })
        }
      }
    }
    if (spec.kind === "range") {
      const [first, end] = spec.range(value as never, state)
      from = Math.max(from, first)
      to = Math.min(to, end)
    } else if (declared.match === "contains") {
      if (value !== "") {
        constraints.push({
          kind: "text",
          facets: facetNumbers(name, filter),
          needle: String(value)
        })
      }
    } else {
      keysByFilter.set(filter, new Set(valuesOf(value)))
      if (declared.implies !== undefined) keysByFilter.set(declared.implies, new Set([true]))
    }
  }
  if (isNonEmpty(unregistered)) {
    return new NotRegistered({ things: unregistered, stamp: state.stamp })
  }
  for (const [filter, keys] of keysByFilter) {
    constraints.push({ kind: "key", facets: facetNumbers(name, filter), keys })
  }
  constraints.sort((one, other) => one.facets[0]! - other.facets[0]!)
  return { constraints, from, to }
}

/** Returns whether the token, account or batch that a filter names exists. */
const isRegistered = (
  { history, tokens }: LedgerState,
  kind: NonNullable<Filter["references"]>,
  value: number
): boolean => {
  switch (kind) {
    case "token":
      return tokens.find(value) !== undefined
    case "account":
      return history.accounts.find(value) !== undefined
    case "batch":
      return history.batch(value) !== undefined
  }
}

const isNonEmpty = <T>(list: ReadonlyArray<T>): list is readonly [T, ...Array<T>] => list.length > 0

const valuesOf = (value: unknown): ReadonlyArray<Key> =>
  (Array.isArray(value) ? value : [value]) as ReadonlyArray<Key>
