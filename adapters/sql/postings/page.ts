import type { PageCounts } from "../../../core/contract/mod.ts"
import {
  type AnswerRows,
  type AnswerStatement,
  answerStatement,
  lastPlace,
  numberOrNull,
  type RowSource,
  type RowValues,
  type SqlAnswer
} from "../connection/mod.ts"
import { openItems } from "./open_items.ts"
import { type ItemLists, postings } from "./_page_postings.ts"

export type Order = "ASC" | "DESC"

/**
 * The parts of a page statement. Its parameters are $1 keys, $2 position, $3 limit, then those that
 * the parts name.
 */
export interface PageText {
  readonly lists: "postings" | "open"
  /**
   * SQL that returns the keys of disjoint lists as `key`. If absent, `$1` is an array of keys, or
   * of one key.
   */
  readonly keys?: string
  /** Whether there is one key, so that nothing has to be added up or merged. */
  readonly hasOneKey?: boolean
  /** Queries of `item`, for items of the page that are in none of the lists. */
  readonly others?: ReadonlyArray<string>
  /**
   * A query of one row `low`, `upper`: restricts the page to items in [low, upper). `head` may use
   * its other columns.
   */
  readonly range?: string
  readonly order: Order
  /** SQL expressions of the head after the counts. */
  readonly head?: ReadonlyArray<string>
  readonly ctes?: ReadonlyArray<string>
  /** Queries over `page.item`. */
  readonly rows: ReadonlyArray<AnswerRows>
}

/**
 * Returns the rows `r` of a table for a page, with their joins. One scan of the index finds all of
 * them. OFFSET keeps the order of the answer out of its plan: before version 17 PostgreSQL could read
 * the whole index for that order.
 */
export const pageRows = (table: string, joins = ""): RowSource => ({
  place: "r.item_id",
  from:
    `(SELECT * FROM ${table} WHERE item_id = ANY(ARRAY(SELECT page.item FROM page)) OFFSET 0) AS r ${joins}`
})

/**
 * Returns the statement of a page with its counts. Each index probe is a sub-query with a limit, so
 * that a generic plan uses the index whatever the statistics say.
 */
export const pageStatement = (page: PageText): AnswerStatement => {
  const selection = selectionOf(page)
  return answerStatement({
    ctes: [
      ...readLists(selection, page),
      ...page.ctes ?? []
    ],
    head: [
      "counted.total",
      "counted.before",
      "counted.first",
      "counted.last",
      ...page.head ?? []
    ],
    from: `CROSS JOIN counted ${selection.join}`,
    rows: page.rows,
    order: page.order
  })
}

/** The SQL expressions of the range and the position of a page. */
interface Selection {
  /** Defines `bounds` if the page is restricted to a range; otherwise empty. */
  readonly bounds: ReadonlyArray<string>
  /** Joins `bounds`, if it is defined. */
  readonly join: string
  readonly low: string | null
  readonly high: string | null
  readonly position: string
}

const selectionOf = ({ range }: PageText): Selection =>
  range === undefined
    ? { bounds: [], join: "", low: null, high: null, position: "$2::bigint" }
    : {
      bounds: [`bounds AS MATERIALIZED (
  SELECT bound.*, least(greatest($2::bigint, bound.low), bound.high) AS position
  FROM (SELECT given.*, greatest(given.low, given.upper) AS high FROM (${range}) AS given) AS bound
)`],
      join: "CROSS JOIN bounds",
      low: "bounds.low",
      high: "bounds.high",
      position: "bounds.position"
    }

/** Returns the tables `counted` and `page` of the lists and of other items. */
const readLists = (
  { bounds, join, ...range }: Selection,
  { hasOneKey = false, keys, lists: kind, order, others = [] }: PageText
): ReadonlyArray<string> => {
  const lists: ItemLists = kind === "open" ? openItems : postings
  const limit = "$3::bigint"
  const { columns, joins } = lists.measures({ ...range, order, limit })
  const { high, low, position } = range
  const counts = `SELECT above - under AS total, reached - under AS before,
    CASE WHEN above > under THEN first END AS first, CASE WHEN above > under THEN last END AS last FROM measured`
  return [
    `listed AS (${
      keys ?? (hasOneKey ? "SELECT ($1::bytea[])[1] AS key" : "SELECT unnest($1::bytea[]) AS key")
    })`,
    ...bounds,
    ...others.length === 0 ? [] : [`other AS MATERIALIZED (
  SELECT each.item FROM (${others.join(" UNION ALL ")}) AS each ${join}${
      low === null ? "" : ` WHERE each.item >= ${low} AND each.item < ${high}`
    }
)`],
    `measured AS MATERIALIZED (
  SELECT ${columns.join(", ")}
  FROM listed ${join} ${joins.join("\n  ")}
)`,
    hasOneKey && others.length === 0 ?
      `counted AS (${counts})` :
      `counted AS (
  SELECT coalesce(sum(total), 0) AS total, coalesce(sum(before), 0) AS before, min(first) AS first, max(last) AS last FROM (${counts}${
        others.length === 0 ?
          "" :
          ` UNION ALL SELECT count(*), count(*) FILTER (WHERE other.item < ${position}), min(other.item), max(other.item) FROM other ${join}`
      }) AS part
)`,
    `page AS MATERIALIZED (
  SELECT found.item FROM (SELECT unnest(measured.items) AS item FROM measured${
      others.length === 0 ? "" : " UNION ALL SELECT other.item FROM other"
    }) AS found ${join}
  WHERE ${
      order === "ASC"
        ? `found.item >= ${position}${high === null ? "" : ` AND found.item < ${high}`}`
        : `found.item < ${position}${low === null ? "" : ` AND found.item >= ${low}`}`
    } ORDER BY found.item ${order} LIMIT ${limit}
)`
  ]
}

/** Returns the position at which a page begins; in descending order it is exclusive. */
export const positionOf = (order: Order, fromItem: number | undefined): string =>
  order === "ASC"
    ? String(fromItem ?? 0)
    : fromItem === undefined
    ? lastPlace
    : String(fromItem + 1)

/** Returns the counts of a page from its head, and the other members of the head. */
export const countsOf = (
  { head: [total, before, first, last, ...rest] }: SqlAnswer,
  order: Order,
  items: number
): {
  readonly counts: PageCounts
  readonly rest: RowValues
} => ({
  counts: {
    pendingItems: (order === "ASC" ? Number(total) - Number(before) : Number(before)) - items,
    totalItems: Number(total),
    firstItem: numberOrNull(first),
    lastItem: numberOrNull(last)
  },
  rest
})
