import {
  type Filter,
  type FiltersOf,
  type ListDeclaration,
  type ListName,
  lists
} from "../../../core/contract/mod.ts"
import { type LedgerStamp, NotRegistered, type UnregisteredThing } from "../../../core/ports/mod.ts"
import {
  type CombinableFilter,
  type FacetName,
  type PageText,
  type PostingFacet,
  postingKey,
  type PostingListName,
  postingLists
} from "../postings/mod.ts"

/** How to run a list query: the shape of the statement, its text, and its parameters. */
export interface ListQueryPlan {
  /** Identifies the text: queries of one list and shape share a prepared statement. */
  readonly shape: string
  readonly text: (parameter: Parameter) => Omit<PageText, "order" | "rows">
  /** $1: the keys of the lists. */
  readonly keys: string
  /** $4 and so on, in the order in which `text` uses them. */
  readonly values: ReadonlyArray<string | null>
}

/** Returns the next parameter of a statement, cast to a type. */
export type Parameter = (type: string) => string

/** Returns a `Parameter` that numbers parameters from `first` on. */
export const parametersFrom = (first: number): Parameter => {
  let next = first
  return (type) => `$${next++}::${type}`
}

const texts = new Map<string, string>()

/**
 * Returns the text of a statement, and builds it on the first call with this name. The driver
 * identifies prepared statements by their text.
 */
export const cachedText = (name: string, build: () => string): string => {
  const cached = texts.get(name)
  if (cached !== undefined) return cached
  const text = build()
  texts.set(name, text)
  return text
}

/** Plans a read of lists; a single list, the usual case, has a simpler statement. */
export const readLists = (
  keys: ReadonlyArray<Uint8Array>,
  lists: PageText["lists"]
): ListQueryPlan => ({
  ...keys.length === 1
    ? { shape: `${lists} one`, text: () => ({ lists, keys: "one" }), keys: byteParameter(keys[0]!) }
    : { shape: lists, text: () => ({ lists }), keys: keysParameter(keys) },
  values: []
})

/** How a row `r` is compared with the value of a filter, which may be absent. */
interface RowCondition {
  readonly type: string
  readonly sql: (parameter: string) => string
  readonly value: string | null
}

/**
 * Plans a read of posting lists and of the unindexed tail of their parent.
 *
 * @param conditions the conditions for items of the tail, for each filter that can follow another
 * one in a key
 */
export const readPostings = <N extends PostingListName>(
  name: N,
  filters: FacetFilters<N>,
  conditions: { readonly [F in CombinableFilter<N>]: RowCondition }
): ListQueryPlan => {
  const { keys, parentKey } = lookUpKeys(name, filters)
  const tests = Object.values<RowCondition>(conditions)
  return parentKey === null
    ? readLists(keys, "postings")
    : {
      shape: "post-filtered",
      text: (parameter) => ({
        lists: "postings",
        postFilter: {
          key: parameter("bytea"),
          table: postingLists[name].table,
          condition: tests.map(({ sql, type }) => sql(parameter(type))).join(" AND ")
        }
      }),
      keys: keysParameter(keys),
      values: [byteParameter(parentKey), ...tests.map(({ value }) => value)]
    }
}

/**
 * Returns SQL for the keys that begin with `$1`, one for each bidder that is registered with a
 * forger; only the key of `bidder`, unless it is NULL.
 */
export const keysOfForger = (forger: string, bidder: string): string => `
SELECT $1::bytea || registration.bidder_addr AS key FROM registration
WHERE registration.forger_addr = ${forger} AND (${bidder} IS NULL OR registration.bidder_addr = ${bidder})`

/** Plans a read of the lists of a forger's bidders; their keys begin with `prefix`. */
export const readBidsOfForger = (
  prefix: Uint8Array,
  { bidderAddr, forgerAddr }: {
    readonly forgerAddr: string
    readonly bidderAddr: string | undefined
  },
  parentKey: Uint8Array | null
): ListQueryPlan => ({
  shape: parentKey === null ? "forger" : "forger in slot",
  text: (parameter) => {
    const [forger, bidder] = [parameter("bytea"), parameter("bytea")]
    // a sub-query that returns a value, since PostgreSQL may plan EXISTS as a scan of all bidders
    // of the forger for each row
    const condition = `(${bidder} IS NULL OR r.bidder_addr = ${bidder})
  AND (SELECT registration.forger_addr FROM registration WHERE registration.bidder_addr = r.bidder_addr) = ${forger}`
    return {
      lists: "postings",
      keys: keysOfForger(forger, bidder),
      ...(parentKey === null
        ? {}
        : { postFilter: { key: parameter("bytea"), table: "bid", condition } })
    }
  },
  keys: byteParameter(prefix),
  values: [
    hexParameter(forgerAddr),
    hexOrNullParameter(bidderAddr),
    ...(parentKey === null ? [] : [byteParameter(parentKey)])
  ]
})

/**
 * Restricts a plan to a range of items.
 *
 * @param range SQL for a row of `low` and `upper`; and of `known`, whether the batch exists, if the
 *   plan is passed to `withAccount`
 */
export const withRange = (
  shape: string,
  plan: ListQueryPlan,
  range: (parameter: Parameter) => string,
  values: ReadonlyArray<string | null>
): ListQueryPlan => ({
  ...plan,
  shape: `${plan.shape} ${shape}`,
  text: (parameter) => ({ range: range(parameter), ...plan.text(parameter) }),
  values: [...values, ...plan.values]
})

/** Restricts a plan to the items of a batch. */
export const withBatch = (
  items: "exits" | "transactions",
  batchNum: number | undefined,
  plan: ListQueryPlan
): ListQueryPlan =>
  batchNum === undefined ? plan : withRange("in batch", plan, (parameter) => `
SELECT coalesce(batch.${items}_from, 0) AS low, coalesce(batch.${items}_to, 0) AS upper, batch.batch_num IS NOT NULL AS known
FROM (VALUES (${
    parameter("bigint")
  })) AS given (batch_num) LEFT JOIN batch ON batch.batch_num = given.batch_num`, [
    String(batchNum)
  ])

/**
 * Adds to the head whether the account exists and, if the plan has a range, whether the batch does.
 */
export const withAccount = (
  accountIndex: number | undefined,
  plan: ListQueryPlan
): ListQueryPlan => ({
  ...plan,
  text: (parameter) => {
    const known = `EXISTS (SELECT FROM account WHERE account.account_index = ${
      parameter("bigint")
    })`
    const text = plan.text(parameter)
    return { ...text, head: [known, ...(text.range === undefined ? [] : ["bounds.known"])] }
  },
  values: [numberOrNullParameter(accountIndex), ...plan.values]
})

/** Returns the error for the items that the filters refer to and that do not exist, if any. */
export const findUnregistered = (
  name: ListName,
  filters: { readonly [filter: string]: unknown },
  isRegistered: (kind: NonNullable<Filter["references"]>, value: number) => boolean,
  stamp: LedgerStamp
): NotRegistered | undefined => {
  const declaration: ListDeclaration = lists[name]
  const things = Object.entries(filters).flatMap(
    ([filter, value]): ReadonlyArray<UnregisteredThing> => {
      const kind = declaration.filters[filter]?.references
      if (kind === undefined || value === undefined) return []
      const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<number>
      return values.filter((each) => !isRegistered(kind, each)).map((each) => ({
        filter,
        kind,
        value: each
      }))
    }
  )
  const [first, ...rest] = things
  return first && new NotRegistered({ things: [first, ...rest], stamp })
}

/** The posting lists of a combination of filters. */
export interface KeyLookup {
  /** Keys of disjoint lists. */
  readonly keys: ReadonlyArray<Uint8Array>
  /** Key of the parent list, if its unindexed tail has to be filtered too; otherwise null. */
  readonly parentKey: Uint8Array | null
}

/** Filters that are facets. A plan answers the other ones itself, and must take them out. */
export type FacetFilters<N extends PostingListName> = {
  readonly [F in keyof FiltersOf<N>]: F extends FacetName<N> ? FiltersOf<N>[F] : never
}

/**
 * Returns the keys of the lists for some filters. A key begins with the filter that combines with
 * all other filters; their values follow in the order of its `combinableFilters`. A filter with
 * several values has a key for each.
 */
export const lookUpKeys = <N extends PostingListName>(
  name: N,
  filters: FacetFilters<N>
): KeyLookup => {
  const list = postingLists[name]
  const values = filters as { readonly [filter: string]: unknown }
  const [leading, ...others] = Object.keys(list.facets).filter((filter) =>
    values[filter] !== undefined
  )
  if (leading === undefined) return { keys: [postingKey(list)], parentKey: null }
  const { combinableFilters } = list.facets[leading]!
  const following = combinableFilters.filter((filter) => others.includes(filter))
  const bytesOf = (filter: string) => encodeValues(list.facets[filter]!, values[filter])
  const paths = following.reduce<ReadonlyArray<ReadonlyArray<readonly [string, Uint8Array]>>>(
    (paths, filter) =>
      paths.flatMap((path) => bytesOf(filter).map((value) => [...path, [filter, value] as const])),
    bytesOf(leading).map((value) => [[leading, value] as const])
  )
  return {
    keys: paths.map((path) => postingKey(list, ...path)),
    parentKey: following.length === 0 ? null : postingKey(list, [leading, bytesOf(leading)[0]!])
  }
}

const encodeValues = ({ filterDigits }: PostingFacet, value: unknown): ReadonlyArray<Uint8Array> =>
  [...new Set(Array.isArray(value) ? value : [value])].map((each) =>
    Buffer.from(filterDigits(each as never), "hex")
  )

const digitsOf = (hex: string): string => hex.startsWith("0x") ? hex.slice(2) : hex

/* Parameters in text format. */
export const byteParameter = (value: Uint8Array): string =>
  `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`
export const hexParameter = (hex: string): string => `\\x${digitsOf(hex)}`
export const hexOrNullParameter = (hex: string | undefined): string | null =>
  hex === undefined ? null : hexParameter(hex)
export const numberOrNullParameter = (value: number | undefined): string | null =>
  value === undefined ? null : String(value)
export const keysParameter = (keys: ReadonlyArray<Uint8Array>): string =>
  `{${keys.map((key) => `"\\${byteParameter(key)}"`).join(",")}}`
