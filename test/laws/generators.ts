import { Arbitrary, Schema } from "effect"
import type { SimulationOptions } from "../../app/simulator/mod.ts"
import {
  declaration,
  fromItemMax,
  limitMax,
  type ListItems,
  type ListName,
  type ListQuery,
  offeredFilters,
  type Revision,
  revisionList,
  type ScalarName,
  scalars,
  type ScalarValues
} from "../../core/contract/mod.ts"
import {
  poolStates,
  poolTransactionTypes,
  transactionTypes,
  values
} from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, ZERO_ADDRESS } from "../../core/encoding/mod.ts"
import { everyItem, valuesOf } from "./naive/mod.ts"
import { itemIdOf } from "./_reading.ts"
import type { Facts } from "./facts.ts"

type Arbitrary<A> = Arbitrary.Arbitrary<A>

/** Cached by their bounds: compiling the schema takes longer than generating from it. */
const integers = new Map<string, Arbitrary<number>>()

/**
 * Generates integers from `minimum` to `maximum`, both included, without a bias to small ones and
 * never -0.
 */
export const integer = (minimum: number, maximum: number): Arbitrary<number> => {
  const bounds = `${minimum} ${maximum}`
  let known = integers.get(bounds)
  if (known === undefined) {
    known = Arbitrary.map(
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum }))),
      (value) => value + 0
    )
    integers.set(bounds, known)
  }
  return known
}

/** Generates one of the values; there must be at least one. */
export const oneOf = <A>(values: ReadonlyArray<A>): Arbitrary<A> =>
  Arbitrary.map(integer(0, values.length - 1), (at) => values[at]!)

/** Generates a value with one of the generators, each with the same probability. */
export const choice = <A>(kinds: ReadonlyArray<Arbitrary<A>>): Arbitrary<A> =>
  Arbitrary.flatMap(integer(0, kinds.length - 1), (at) => kinds[at]!)

/** Generates strings of this number of lower-case hexadecimal digits. */
export const hex = (digits: number): Arbitrary<string> =>
  Arbitrary.map(
    Arbitrary.array(integer(0, 15), { minLength: digits, maxLength: digits }),
    (values) => values.map((value) => value.toString(16)).join("")
  )

/** Generates subsets of at most three values, in their order. */
const someOf = <A>(values: ReadonlyArray<A>): Arbitrary<ReadonlyArray<A>> =>
  Arbitrary.map(
    Arbitrary.array(integer(0, Math.max(0, values.length - 1)), { maxLength: 3 }),
    (picks) => values.filter((_, at) => picks.includes(at))
  )

/** Generates two values that follow each other, or all if there are fewer. */
const neighboursOf = <A>(values: ReadonlyArray<A>): Arbitrary<ReadonlyArray<A>> =>
  Arbitrary.map(integer(0, Math.max(0, values.length - 2)), (at) => values.slice(at, at + 2))

/**
 * Generates options of small simulated networks, with and without rollbacks, exits and tokens.
 *
 * ```ts
 * import { Arbitrary, Effect } from "effect"
 * import { generators } from "rollup-node-api/testing"
 *
 * const networks = (seed: number) =>
 *   Effect.runPromise(Arbitrary.sampleEffect(generators.network, { count: 3, seed }))
 * const [one, same, other] = [await networks(7), await networks(7), await networks(8)]
 * console.log(JSON.stringify(one) === JSON.stringify(same)) // => true
 * console.log(JSON.stringify(one) === JSON.stringify(other)) // => false
 * ```
 */
export const network: Arbitrary<SimulationOptions> = Arbitrary.map(
  Arbitrary.all([
    integer(0, 2 ** 31 - 1),
    integer(8, 30),
    integer(0, 13),
    integer(1, 4),
    integer(0, 8),
    integer(0, 30),
    oneOf([0, 5, 7, 9, 12])
  ]),
  (
    [seed, users, tokens, coordinators, transactionsPerBlock, exitPercent, rollBackPeriodBlocks]
  ) => ({
    seed,
    users,
    tokens,
    coordinators,
    transactionsPerBlock,
    exitShare: exitPercent / 100,
    queueSize: 16,
    rollBackPeriodBlocks
  })
)

/** Generates existing numbers, numbers near them and numbers up to `maximum`. */
const around = (known: ReadonlyArray<number>, maximum: number): Arbitrary<number> => {
  const beyond = Math.max(0, ...known)
  return choice([
    ...(known.length === 0 ? [] : [oneOf(known), oneOf(known)]),
    integer(0, Math.min(maximum, beyond + 3)),
    integer(0, maximum),
    oneOf([0, 1, maximum])
  ])
}

const known = <A>(values: ReadonlyArray<A>, unknown: Arbitrary<A>): Arbitrary<A> =>
  values.length === 0 ? unknown : choice([oneOf(values), oneOf(values), oneOf(values), unknown])

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

const maximumOf = (name: "tokenId" | "batchNum" | "slotNum" | "accountIndex"): number =>
  values.boundsOf(scalars[name]).maximum

/**
 * Returns a generator for each type of filter value: values that occur in the facts, and values
 * that do not.
 */
export function scalarValues(
  facts: Facts
): { readonly [S in ScalarName]: Arbitrary<ScalarValues[S]> } {
  const tokenIds = facts.tokens.map(({ id }) => id)
  const tokenId = around(tokenIds, maximumOf("tokenId"))
  const address = Arbitrary.map(hex(40), (digits) => `0x${digits}`)
  const owners = distinct([
    ...facts.accounts.map((account) => account.address),
    INTERNAL_ADDRESS,
    ZERO_ADDRESS
  ])
  const coordinatorAddresses = distinct([
    ...facts.coordinators.flatMap(({ bidderAddr, forgerAddr }) => [bidderAddr, forgerAddr]),
    ...facts.batches.map(({ forgerAddr }) => forgerAddr)
  ])
  // no filter can name an empty name or symbol
  const names = facts.tokens.map(({ name }) => name).filter((name) => name !== "")
  const symbols = facts.tokens.map(({ symbol }) => symbol).filter((symbol) => symbol !== "")
  const currency = oneOf(["CNY", "EUR", "JPY", "XTS"])
  return {
    tokenId,
    tokenIds: choice([
      Arbitrary.map(Arbitrary.array(oneOf(tokenIds), { minLength: 1, maxLength: 4 }), distinct),
      Arbitrary.map(Arbitrary.array(tokenId, { minLength: 1, maxLength: 2 }), distinct)
    ]),
    tokenSymbols: Arbitrary.map(
      Arbitrary.array(oneOf([...symbols, "eth", "?"]), { minLength: 1, maxLength: 3 }),
      distinct
    ),
    currencyCode: currency,
    currencyCodes: Arbitrary.map(
      Arbitrary.array(currency, { minLength: 1, maxLength: 3 }),
      distinct
    ),
    baseCurrency: Arbitrary.Constant("USD"),
    text: choice([
      Arbitrary.map(
        Arbitrary.all([oneOf(names), integer(0, 20), integer(1, 6)]),
        ([name, from, length]) => {
          const start = from % Math.max(1, name.length)
          return name.slice(start, start + length).toWellFormed() || "e"
        }
      ),
      oneOf([...names, "%", "_", ".*", "\\", "(", "'", "E", "e", "nothing of the kind"])
    ]),
    batchNum: around(facts.batches.map(({ batchNum }) => batchNum), maximumOf("batchNum")),
    slotNum: around(distinct(facts.bids.map(({ slotNum }) => slotNum)), maximumOf("slotNum")),
    nonce: Arbitrary.map(integer(0, 9), BigInt),
    accountIndex: choice([
      known(
        facts.accounts.map(({ index }) => index),
        oneOf([0, 1, 255, 256, maximumOf("accountIndex")])
      ),
      around(facts.accounts.map(({ index }) => index), maximumOf("accountIndex"))
    ]),
    ethereumAddress: known(coordinatorAddresses, address),
    ethereumAddresses: Arbitrary.map(
      Arbitrary.array(known(facts.tokens.map(({ ethereumAddress }) => ethereumAddress), address), {
        minLength: 1,
        maxLength: 3
      }),
      distinct
    ),
    prefixedAddress: known(owners, address),
    publicKey: known(distinct(facts.accounts.map((account) => account.publicKey)), hex(64)),
    transactionId: known(
      [...facts.transactions, ...facts.queued].map(({ id }) => id),
      Arbitrary.map(
        Arbitrary.all([integer(0, 2), hex(64)]),
        ([type, digits]) => `0x0${type}${digits}`
      )
    ),
    groupId: Arbitrary.map(hex(64), (digits) => `0x${digits}`),
    transactionType: oneOf(transactionTypes),
    poolTransactionType: oneOf(poolTransactionTypes),
    poolState: oneOf(poolStates),
    boolean: Arbitrary.schema(Schema.Boolean)
  }
}

/** Returns a value of the filter that matches the item, or undefined if the item has none. */
function valueFor<N extends ListName>(
  facts: Facts,
  list: N,
  filter: string,
  item: ListItems[N],
  side: number
): unknown {
  const itemValues = valuesOf(facts, list, filter, item).filter((value) => value !== "")
  const value = itemValues[side % Math.max(1, itemValues.length)]
  if (value === undefined) return undefined
  switch (declaration(list).filters[filter]!.match) {
    case "oneOf":
      return [value]
    case "greaterThan":
      return Math.max(0, value as number - 1 - side)
    case "lessThan":
      return value as number + 1 + side
    case "atLeast":
      return Math.max(0, value as number - side)
    case "atMost":
      return value as number + side
    case "adding":
      return true
    default:
      return value
  }
}

/**
 * Generates combinations of filters that the revision allows. In about two of three, all filters
 * match one item. One of three has filters that are declared next to each other, such as those by
 * sender and by receiver.
 */
export function filters<N extends ListName>(
  facts: Facts,
  list: N,
  revision: Revision
): Arbitrary<ListQuery<N>["filters"]> {
  const { exclusions, ordered = [] } = declaration(list)
  const offered = offeredFilters(revision, list)
  const generatorOf = scalarValues(facts)
  const items = everyItem(facts, list)
  const names = offered.map(({ filter }) => filter)
  const adding = names.filter((filter) => declaration(list).filters[filter]!.match === "adding")
  return Arbitrary.map(
    Arbitrary.all([
      // a filter that adds items is as frequent as all others together
      Arbitrary.map(
        Arbitrary.all([
          choice([someOf(names), someOf(names), neighboursOf(names)]),
          someOf(adding)
        ]),
        (parts) => parts.flat()
      ),
      Arbitrary.all(offered.map(({ scalar }): Arbitrary<unknown> => generatorOf[scalar])),
      integer(0, 3 * items.length),
      integer(0, 1)
    ]),
    ([chosen, anyValues, which, side]) => {
      const item = items[which]?.item ?? items[which - 2 * items.length]?.item
      const all = offered.map(({ filter }, at) =>
        (item === undefined ? undefined : valueFor(facts, list, filter, item, side)) ??
          anyValues[at]
      )
      const combined = new Map<string, unknown>()
      for (const [at, { filter }] of offered.entries()) {
        const excluded = exclusions.some(([a, b]) =>
          (a === filter && combined.has(b)) || (b === filter && combined.has(a))
        )
        if (chosen.includes(filter) && !excluded) combined.set(filter, all[at])
      }
      for (const [least, greatest] of ordered) {
        const [low, high] = [combined.get(least), combined.get(greatest)]
        if (typeof low === "number" && typeof high === "number" && low > high) {
          combined.set(least, high).set(greatest, low)
        }
      }
      return Object.fromEntries(combined) as ListQuery<N>["filters"]
    }
  )
}

const limit = choice([integer(1, 3), integer(1, 25), integer(1, limitMax), oneOf([1, limitMax])])
const order = oneOf(["ASC", "DESC"] as const)

/**
 * Generates queries of a list that one of the revisions allows: filters, order, limit and position.
 */
export function listQuery<N extends ListName>(facts: Facts, list: N): Arbitrary<ListQuery<N>> {
  const ids = everyItem(facts, list).map(({ item }) => itemIdOf(list, item))
  const position = around(ids, fromItemMax)
  const queries = new Map<Revision, Arbitrary<ListQuery<N>>>()
  const queryOf = (revision: Revision): Arbitrary<ListQuery<N>> =>
    Arbitrary.map(
      Arbitrary.all([
        filters(facts, list, revision),
        someOf(["fromItem", "order", "limit"]),
        position,
        order,
        limit
      ]),
      ([drawn, parts, fromItem, order, limit]): ListQuery<N> => ({
        filters: drawn,
        ...(parts.includes("fromItem") ? { fromItem } : {}),
        ...(parts.includes("order") ? { order } : {}),
        ...(parts.includes("limit") ? { limit } : {})
      })
    )
  return Arbitrary.flatMap(oneOf(revisionList), (revision) => {
    // created only if needed, because it reads all facts
    const query = queries.get(revision) ?? queryOf(revision)
    queries.set(revision, query)
    return query
  })
}
