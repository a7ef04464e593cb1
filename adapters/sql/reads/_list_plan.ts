import type { RowSource } from "../connection/mod.ts"
import {
  type PageText,
  type PostingList,
  type PostingListName,
  postingLists,
  unindexedTail
} from "../postings/mod.ts"
import {
  conditionOf,
  type IndexKeyFilters,
  type IndexKeySelection,
  isPair,
  lookUpKeys,
  pairKeys,
  selectionsOf
} from "./_index_key_selection.ts"
import { keysParameter, type Parameter } from "./_run_query.ts"
import { queuedRows } from "./history_rows.ts"

/** How to run a list query: the shape of the statement, its text, and its parameters. */
export interface ListQueryPlan {
  /** Identifies the text: queries of one list and shape share a prepared statement. */
  readonly shape: string
  readonly text: (parameter: Parameter) => ListText
  /** $1: the keys of the lists. */
  readonly keys: string
  /** $4 and so on, in the order in which `text` uses them. */
  readonly values: ReadonlyArray<string | null>
  /** Whether the statement is slow and has a connection for itself. */
  readonly isExclusive?: true
}

/** The parts of a page statement that depend on the filters. */
export interface ListText extends Omit<PageText, "order" | "rows"> {
  /** Rows `r` over `page.item` of items outside of the table of the list, with its columns. */
  readonly otherRows?: ReadonlyArray<RowSource>
}

/** Plans a read of lists. */
export const readLists = (
  keys: ReadonlyArray<Uint8Array>,
  lists: PageText["lists"]
): ListQueryPlan => ({
  shape: keys.length === 1 ? `${lists} of one key` : lists,
  text: () => ({ lists, hasOneKey: keys.length === 1 }),
  keys: keysParameter(keys),
  values: []
})

/** Plans a read of the items that a query returns, without lists. */
export const readItems = (
  shape: string,
  items: (parameter: Parameter) => string,
  values: ReadonlyArray<string | null>
): ListQueryPlan => ({
  shape,
  text: (parameter) => ({ lists: "postings", others: [items(parameter)] }),
  keys: keysParameter([]),
  values
})

/**
 * Plans a read of posting lists, and of rows that are not yet in lists of combined filters. The
 * caller restricts the plan of a pair in a batch to the range of the batch.
 */
export const readPostings = <N extends PostingListName>(
  name: N,
  filters: IndexKeyFilters<N>,
  batchNum?: number
): ListQueryPlan => {
  const list = postingLists[name]
  const selections = selectionsOf(list, filters)
  if (selections.some(isPair)) {
    return batchNum === undefined ? readPair(list, selections) : readPairInRange(list, selections)
  }
  const { keys, parentKeys } = lookUpKeys(name, filters)
  if (parentKeys.length === 0) return readLists(keys, "postings")
  const condition = conditionOf(list, selections.slice(1))
  return {
    shape: "with tail",
    text: (parameter) => {
      const parents = parameter("bytea[]")
      return {
        lists: "postings",
        others: [
          selectedItems(
            list,
            `SELECT unnest(${unindexedTail("parent.key")}) FROM unnest(${parents}) AS parent (key)`,
            condition.text(parameter)
          )
        ]
      }
    },
    keys: keysParameter(keys),
    values: [keysParameter(parentKeys), ...condition.values]
  }
}

/**
 * Returns a query of the items whose row `r` meets a condition; `listed` is a query of items. One scan
 * of the index finds their rows.
 */
const selectedItems = ({ table }: PostingList, listed: string, condition: string): string =>
  `SELECT r.item_id AS item FROM ${table} AS r WHERE r.item_id = ANY(ARRAY(${listed})) AND ${condition}`

/**
 * Plans a read of the transactions from a sender to another receiver. It reads the shorter one of
 * two lists, those that the sender sent and those that the receiver received, and filters its rows.
 */
const readPair = (
  list: PostingList,
  selections: ReadonlyArray<IndexKeySelection>
): ListQueryPlan => {
  const condition = conditionOf(list, selections)
  const plan = readItems(
    "pair",
    (parameter) =>
      selectedItems(
        list,
        `SELECT unnest(posting.items) FROM posting WHERE posting.key = (
  SELECT side.key FROM unnest(${parameter("bytea[]")}) AS side (key)
  ORDER BY (SELECT first_ordinal + cardinality(items) FROM posting WHERE posting.key = side.key AND posting.is_last LIMIT 1) NULLS FIRST LIMIT 1
)`,
        condition.text(parameter)
      ),
    [keysParameter(pairKeys(list, selections)), ...condition.values]
  )
  return { ...plan, isExclusive: true }
}

/**
 * Plans a read of the transactions from a sender to another receiver in a range, which the caller
 * adds. It filters all rows of the range.
 */
const readPairInRange = (
  list: PostingList,
  selections: ReadonlyArray<IndexKeySelection>
): ListQueryPlan => {
  const condition = conditionOf(list, selections)
  return readItems(
    "pair in range",
    (parameter) =>
      `SELECT r.item_id AS item FROM ${list.table} AS r WHERE r.item_id >= (SELECT low FROM bounds) AND r.item_id < (SELECT high FROM bounds) AND ${
        condition.text(parameter)
      }`,
    condition.values
  )
}

/** All queued transactions. OFFSET makes the planner use the index of those that are not forged. */
const queued = queuedRows("NOT forged OFFSET 0")

/**
 * Adds the queued transactions of the filters to a plan. None of them is in a batch: the plan must
 * not have the range of one.
 */
export const withQueued = (
  filters: IndexKeyFilters<"transactions">,
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
        otherRows: [{
          place: "r.item_id",
          from: `(${queued}) AS r WHERE (r.item_id IN (SELECT page.item FROM page)) IS TRUE`
        }]
      }
    },
    values: [...condition.values, ...plan.values]
  }
}

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
    const known =
      `ARRAY(SELECT account.account_index FROM account WHERE account.account_index = ANY(${
        parameter("bigint[]")
      }))`
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
