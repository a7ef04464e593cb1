import { Arbitrary, Record } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  declaration,
  type ListName,
  type ListQuery,
  offeredFilters,
  type Operation,
  parameterName,
  readOperationsOf,
  type Revision,
  type Scalar,
  type ScalarName,
  scalars,
  type ScalarValues,
  wireForm,
  wireContext
} from "../../core/contract/mod.ts"
import { localName, type Network } from "../../core/domain/mod.ts"
import { choice, integer, listQuery, oneOf, scalarValues } from "./generators.ts"
import type { Facts } from "./facts.ts"

type Arbitrary<A> = Arbitrary.Arbitrary<A>

type Texts = { readonly [S in ScalarName]: (value: ScalarValues[S]) => string }

const textsOfNetworks = new WeakMap<Network, Texts>()

/** Returns how each type of filter value is written in a URL, before percent-encoding. */
export const textOf = (network: Network): Texts => {
  const known = textsOfNetworks.get(network)
  if (known !== undefined) return known
  const context = wireContext(network, keccak256)
  const texts = Record.map(
    scalars as unknown as { readonly [S in ScalarName]: Scalar<never> },
    (scalar) => wireForm(scalar).format(context)
  ) as Texts
  textsOfNetworks.set(network, texts)
  return texts
}

/** Returns the query string of a query, or undefined if the revision lacks one of its filters. */
export function queryText<N extends ListName>(
  list: N,
  revision: Revision,
  network: Network,
  query: ListQuery<N>
): string | undefined {
  const pairs: Array<readonly [string, string]> = []
  for (const [filter, value] of Object.entries(query.filters)) {
    const name = parameterName(revision, list, filter)
    if (name === undefined) return undefined
    pairs.push([
      localName(network, name),
      textOf(network)[declaration(list).filters[filter]!.scalar](value as never)
    ])
  }
  for (const name of ["fromItem", "order", "limit"] as const) {
    if (query[name] !== undefined) pairs.push([name, String(query[name])])
  }
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")
}

/** Fragments that are invalid in most places, or look as if they were. */
const fragments = [
  "",
  " ",
  "+",
  "-1",
  "00",
  "0x",
  "1e3",
  "1.0",
  "NaN",
  "null",
  "%",
  "%zz",
  "%00",
  "%C3%28",
  "%ED%A0%80",
  "%F0%9F%A6%8A",
  "\u0000",
  "\ud800",
  "🦊",
  "&",
  "=",
  "&&",
  "?",
  "#",
  ",",
  ",,",
  ":",
  "::",
  "/",
  "\\",
  "'",
  '"',
  "__proto__",
  "constructor",
  "toString",
  "9007199254740993",
  "18446744073709551616",
  "99999999999999999999999999",
  "4294967295",
  "4294967296",
  "limit=0",
  "&limit=2050",
  "&fromItem=-1",
  "&order=asc",
  "&constructor=1",
  "&__proto__=1",
  "true",
  "x".repeat(3000),
  "9".repeat(5000)
]

const lineOf = (values: ReadonlyArray<number>) => String.fromCharCode(...values)
const anyText: Arbitrary<string> = Arbitrary.map(
  Arbitrary.array(choice([integer(0, 127), integer(0, 65535)]), { maxLength: 40 }),
  lineOf
)

/**
 * Generates texts with one to three random changes: a part removed, inserted, doubled or replaced.
 */
export const mutated = (texts: Arbitrary<string>): Arbitrary<string> =>
  Arbitrary.map(
    Arbitrary.all([
      texts,
      Arbitrary.array(
        Arbitrary.all([
          integer(0, 3),
          integer(0, 999),
          integer(0, 12),
          choice([oneOf(fragments), anyText])
        ]),
        { minLength: 1, maxLength: 3 }
      )
    ]),
    ([text, mutations]) =>
      mutations.reduce((current, [kind, where, length, piece]) => {
        const at = Math.floor(where / 1000 * (current.length + 1))
        const [before, middle, after] = [
          current.slice(0, at),
          current.slice(at, at + length),
          current.slice(at + length)
        ]
        return [
          before + after,
          before + piece + middle + after,
          before + middle + middle + after,
          before + piece + after
        ][kind]!
      }, text)
  )

/**
 * Generates query strings of a list in a revision, with existing and unknown values.
 *
 * ```ts
 * import { Arbitrary, Effect } from "effect"
 * import { later } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { inputGenerators, replay } from "rollup-node-api/testing"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const facts = replay(genesis, [], keccak256)
 * const queries = inputGenerators.queryString(facts, "batches", later, genesis.network)
 * const node = await openNode({ genesis })
 * const statuses = new Set<number>()
 * for (const query of await Effect.runPromise(Arbitrary.sampleEffect(queries, { count: 50, seed: 1 }))) {
 *   statuses.add((await node.fetch(new Request(`http://node/batches?${query}`))).status)
 * }
 * console.log([...statuses].sort()) // => [ 200 ]
 * await node.close()
 * ```
 */
export const queryString = (
  facts: Facts,
  list: ListName,
  revision: Revision,
  network: Network
): Arbitrary<string> =>
  Arbitrary.map(listQuery(facts, list), (query) => queryText(list, revision, network, query) ?? "")

/** Generates the path parameters of an operation, percent-encoded. */
export const pathTexts = (
  facts: Facts,
  operation: Operation,
  network: Network
): Arbitrary<ReadonlyArray<string>> => {
  const values = scalarValues(facts)
  return Arbitrary.all(
    operation.parameters.map(({ scalar }) =>
      Arbitrary.map(
        values[scalar] as Arbitrary<never>,
        (value) => encodeURIComponent(textOf(network)[scalar](value))
      )
    )
  )
}

/** Generates query strings of an operation in a revision; empty if it takes no query. */
export const queryOf = (
  facts: Facts,
  operation: Operation,
  revision: Revision,
  network: Network
): Arbitrary<string> => {
  switch (operation.kind) {
    case "list":
      return queryString(facts, operation.list, revision, network)
    case "poolList":
      return Arbitrary.map(
        Arbitrary.all([
          filterQuery(facts, "pool", revision, network),
          oneOf(["", "limit=3", "order=DESC", "fromItem=2", "limit=1&order=DESC&fromItem=3"])
        ]),
        (parts) => parts.filter((text) => text !== "").join("&")
      )
    case "currencyList":
      return filterQuery(facts, "currencies", revision, network)
    default:
      return Arbitrary.Constant("")
  }
}

/** Generates query strings with at most two filters of a list that no ledger contains. */
const filterQuery = (
  facts: Facts,
  list: "currencies" | "pool",
  revision: Revision,
  network: Network
): Arbitrary<string> => {
  const values = scalarValues(facts)
  const pairs = offeredFilters(revision, list).map(({ parameter, scalar }) =>
    Arbitrary.map(
      values[scalar] as Arbitrary<never>,
      (value) =>
        `${localName(network, parameter)}=${encodeURIComponent(textOf(network)[scalar](value))}`
    )
  )
  return Arbitrary.map(
    Arbitrary.array(choice(pairs), { maxLength: 2 }),
    (filters) => [...new Set(filters)].join("&")
  )
}

/** Generates path and query of the read operations of a revision, without the path of its mount. */
export const operationUrl = (
  facts: Facts,
  revision: Revision,
  network: Network
): Arbitrary<string> =>
  choice(
    readOperationsOf(revision).map(([, operation]) => {
      const queries = queryOf(facts, operation, revision, network)
      return Arbitrary.map(
        Arbitrary.all([pathTexts(facts, operation, network), queries]),
        ([values, query]) => {
          const path = operation.parameters.reduce(
            (text, { name }, at) => text.replace(`{${name}}`, () => values[at]!),
            operation.path
          )
          return `${path}${query === "" ? "" : `?${query}`}`
        }
      )
    })
  )

/** Generates arbitrary text, to be used as a query string or a path parameter. */
export const arbitraryText: Arbitrary<string> = choice([anyText, oneOf(fragments)])
