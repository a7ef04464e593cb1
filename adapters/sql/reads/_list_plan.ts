import {
  type Filter,
  type FiltersOf,
  type ListDeclaration,
  type ListName,
  lists
} from "../../../core/contract/mod.ts"
import { type LedgerStamp, NotRegistered, type UnregisteredThing } from "../../../core/ports/mod.ts"
import {
  type FacetName,
  type PageText,
  postingKey,
  type PostingList,
  type PostingListName,
  postingLists,
  unindexedTail,
  hasAllOf,
  hasOneOf
} from "../postings/mod.ts"
import { membersSql } from "../connection/mod.ts"
import { queuedRows, transactionItemSql } from "./history_rows.ts"

/** How to run a list query: the shape of the statement, its text, and its parameters. */
export interface ListQueryPlan {
  /** Identifies the text: queries of one list and shape share a prepared statement. */
  readonly shape: string
  readonly text: (parameter: Parameter) => ListText
  /** $1: the keys of the lists. */
  readonly keys: string
  /** $4 and so on, in the order in which `text` uses them. */
  readonly values: ReadonlyArray<string | null>
}

/** The parts of a page statement that depend on the filters. */
export interface ListText extends Omit<PageText, "order" | "rows"> {
  /** Queries of place and line over `page.item`, for items that are not in the table of the list. */
  readonly otherRows?: ReadonlyArray<string>
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

/** Plans a read of posting lists, and of rows that are not yet in lists of combined filters. */
export const readPostings = <N extends PostingListName>(
  name: N,
  filters: FacetFilters<N>
): ListQueryPlan => {
  const list = postingLists[name]
  const selections = selectionsOf(list, filters)
  if (selections.some(isPair)) return readPair(list, selections)
  const { keys, parentKeys } = lookUpKeys(name, filters)
  if (parentKeys.length === 0) return readLists(keys, "postings")
  const condition = conditionOf(list, selections.slice(1))
  return {
    shape: "with tail",
    text: (parameter) => {
      const above = parameter("bytea[]")
      return {
        lists: "postings",
        others: [
          selectedItems(
            list,
            `unnest(${above}) AS above (key) CROSS JOIN LATERAL unnest(${
              unindexedTail("above.key")
            }) AS listed (item)`,
            condition.text(parameter)
          )
        ]
      }
    },
    keys: keysParameter(keys),
    values: [keysParameter(parentKeys), ...condition.values]
  }
}

/** The values of a facet that a query selects. */
interface FacetSelection {
  readonly facet: string
  /**
   * Hexadecimal digits. An item has a value of each of the lists: of one, or of two for a sender
   * and a receiver.
   */
  readonly digits: ReadonlyArray<ReadonlyArray<string>>
}

/** Returns the selected values in the order of the facets. */
const selectionsOf = (list: PostingList, filters: object): ReadonlyArray<FacetSelection> => {
  const values = Object.entries(filters).filter(([filter, value]) =>
    value !== undefined && list.filters[filter] !== undefined
  )
  return Object.keys(list.facets).flatMap((facet) => {
    const digits = values.filter(([filter]) => list.filters[filter]!.facet === facet).map((
      [filter, value]
    ) =>
      [...new Set([value].flat())].flatMap((each) =>
        list.filters[filter]!.filterDigits(each as never)
      )
    )
    return digits.length === 0 ? [] : [{ facet, digits }]
  })
}

/** Returns the values of which an item must have one; if empty, it must have one of each list. */
const commonDigits = ({ digits: [first, second] }: FacetSelection): ReadonlyArray<string> =>
  second === undefined ? first! : first!.filter((value) => second.includes(value))

/** Whether no list has all items of the selection: it names a sender and another receiver. */
const isPair = (selection: FacetSelection): boolean => commonDigits(selection).length === 0

/** Returns the value of the sender alone and that of the receiver alone. */
const pairOf = ({ digits }: FacetSelection): ReadonlyArray<string> =>
  digits.map(([ofOneSide]) => ofOneSide!)

/**
 * Returns a condition for a row `r`. It has a parameter for each facet of the list and one for a
 * pair of sender and receiver. These are NULL if the query does not name them, so that all
 * combinations of filters share a statement.
 */
const conditionOf = (list: PostingList, selections: ReadonlyArray<FacetSelection>) => {
  const facets = Object.keys(list.facets)
  const pair = selections.find(isPair)
  const oneOf = (facet: string) => {
    const selection = selections.find((each) => each.facet === facet)
    return selection === undefined || selection === pair
      ? null
      : keysParameter(commonDigits(selection).map(bytesOf))
  }
  return {
    text: (parameter: Parameter) => {
      const conditions = facets.map((facet) => {
        const values = parameter("bytea[]")
        return `(${values} IS NULL OR ${hasOneOf(list, facet, values)})`
      })
      const values = parameter("bytea[]")
      const both = facets.filter((facet) => list.facets[facet]!.values.length === 2).map((facet) =>
        `(${hasAllOf(list, facet, values)})`
      )
      return [...conditions, `(${[`${values} IS NULL`, ...both].join(" OR ")})`].join(" AND ")
    },
    values: [
      ...facets.map(oneOf),
      pair === undefined ? null : keysParameter(pairOf(pair).map(bytesOf))
    ]
  }
}

/**
 * Returns a query of the items `listed.item` whose row `r` meets a condition. The limit makes the
 * planner look up each row by its index.
 */
const selectedItems = ({ table }: PostingList, listed: string, condition: string): string => `
SELECT selected.item FROM ${listed} CROSS JOIN LATERAL (
  SELECT r.item_id AS item FROM ${table} AS r WHERE r.item_id = listed.item AND ${condition} LIMIT 1
) AS selected`

/**
 * Plans a read of the transactions from a sender to another receiver. It reads the shorter one of
 * two lists, those that the sender sent and those that the receiver received, and filters its rows.
 */
const readPair = (
  list: PostingList,
  selections: ReadonlyArray<FacetSelection>
): ListQueryPlan => {
  const pair = selections.find(isPair)!
  const condition = conditionOf(list, selections)
  return {
    shape: "pair",
    text: (parameter) => ({
      lists: "postings",
      others: [
        selectedItems(
          list,
          `(
  SELECT asked.key FROM unnest(${parameter("bytea[]")}) AS asked (key)
  ORDER BY (SELECT first_ordinal + cardinality(items) FROM posting WHERE posting.key = asked.key AND posting.is_last LIMIT 1) NULLS FIRST LIMIT 1
) AS shorter CROSS JOIN LATERAL (SELECT unnest(items) AS item FROM posting WHERE posting.key = shorter.key) AS listed`,
          condition.text(parameter)
        )
      ]
    }),
    keys: keysParameter([]),
    values: [
      keysParameter(pairOf(pair).map((value) => postingKey(list, [pair.facet, bytesOf(value)]))),
      ...condition.values
    ]
  }
}

/** All queued transactions. OFFSET makes the planner use the index of those that are not forged. */
const queued = queuedRows("NOT forged OFFSET 0")

/**
 * Adds the queued transactions of the filters to a plan. None of them is in a batch: the plan must
 * not have the range of one.
 */
export const withQueued = (
  filters: FacetFilters<"transactions">,
  plan: ListQueryPlan
): ListQueryPlan => {
  const list = postingLists.transactions
  const condition = conditionOf(list, selectionsOf(list, filters))
  return {
    ...plan,
    shape: `${plan.shape} with queued`,
    text: (parameter) => {
      const isSelected = condition.text(parameter)
      const text = plan.text(parameter)
      return {
        ...text,
        others: [
          `SELECT r.item_id AS item FROM (${queued}) AS r WHERE ${isSelected}`,
          ...text.others ?? []
        ],
        // IS TRUE makes the planner look up each row in a hash table of the page
        otherRows: [
          `SELECT r.item_id, ${transactionItemSql} FROM (${queued}) AS r WHERE (r.item_id IN (SELECT page.item FROM page)) IS TRUE`
        ]
      }
    },
    values: [...condition.values, ...plan.values]
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
  slotKey: Uint8Array | null
): ListQueryPlan => ({
  shape: slotKey === null ? "forger" : "forger in slot",
  text: (parameter) => {
    const [forger, bidder] = [parameter("bytea"), parameter("bytea")]
    // a sub-query that returns a value, since PostgreSQL may plan EXISTS as a scan of all bidders
    // of the forger for each row
    const condition = `(${bidder} IS NULL OR r.bidder_addr = ${bidder})
  AND (SELECT registration.forger_addr FROM registration WHERE registration.bidder_addr = r.bidder_addr) = ${forger}`
    return {
      lists: "postings",
      keys: keysOfForger(forger, bidder),
      ...(slotKey === null ? {} : {
        others: [
          `SELECT r.item_id AS item FROM bid AS r WHERE r.item_id = ANY(${
            unindexedTail(parameter("bytea"))
          }::bigint[]) AND ${condition}`
        ]
      })
    }
  },
  keys: byteParameter(prefix),
  values: [
    hexParameter(forgerAddr),
    hexOrNullParameter(bidderAddr),
    ...(slotKey === null ? [] : [byteParameter(slotKey)])
  ]
})

/**
 * Restricts a plan to a range of items.
 *
 * @param range SQL for a row of `low` and `upper`; and of `known`, whether the batch exists, if the
 *   plan is passed to `withAccounts`
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
 * Adds to the head which of the accounts of the filters exist and, if the plan has a range, whether
 * the batch does.
 */
export const withAccounts = (
  filters: { readonly [filter: string]: unknown },
  plan: ListQueryPlan
): ListQueryPlan => ({
  ...plan,
  text: (parameter) => {
    const known = membersSql(
      `ARRAY(SELECT account.account_index FROM account WHERE account.account_index = ANY(${
        parameter("bigint[]")
      }))`
    )
    const text = plan.text(parameter)
    return { ...text, head: [known, ...(text.range === undefined ? [] : ["bounds.known"])] }
  },
  values: [
    `{${
      accountFilters.flatMap((filter) => filters[filter] === undefined ? [] : [filters[filter]])
        .join(",")
    }}`,
    ...plan.values
  ]
})
const accountFilters = ["accountIndex", "fromAccountIndex", "toAccountIndex"]

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
  /** Keys of the parent lists, if their unindexed tails have to be filtered too. */
  readonly parentKeys: ReadonlyArray<Uint8Array>
}

/** Filters that are facets. A plan answers the other ones itself, and must take them out. */
export type FacetFilters<N extends PostingListName> = {
  readonly [F in keyof FiltersOf<N>]: F extends FacetName<N> ? FiltersOf<N>[F] : never
}

/**
 * Returns the keys of the lists for some filters. A key begins with the facet that combines with
 * all others; their values follow in the order of its `combinableFilters`. There is a key for each
 * value, and so for each side of a transaction.
 */
export const lookUpKeys = <N extends PostingListName>(
  name: N,
  filters: FacetFilters<N>
): KeyLookup => {
  const list = postingLists[name]
  const [leading, ...others] = selectionsOf(list, filters)
  if (leading === undefined) return { keys: [postingKey(list)], parentKeys: [] }
  const following = list.facets[leading.facet]!.combinableFilters.flatMap((name) =>
    others.filter(({ facet }) => facet === name)
  )
  const partsOf = (selection: FacetSelection) =>
    commonDigits(selection).map((value) => [selection.facet, bytesOf(value)] as const)
  const parents = partsOf(leading).map((part) => [part])
  const paths = following.reduce<ReadonlyArray<ReadonlyArray<readonly [string, Uint8Array]>>>(
    (paths, selection) =>
      paths.flatMap((path) => partsOf(selection).map((part) => [...path, part])),
    parents
  )
  return {
    keys: paths.map((path) => postingKey(list, ...path)),
    parentKeys: following.length === 0 ? [] : parents.map((path) => postingKey(list, ...path))
  }
}

const bytesOf = (digits: string): Uint8Array => Buffer.from(digits, "hex")

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
