import type { PageCounts } from "../../../core/contract/mod.ts"
import { answerStatement, flag, intOrNull, lastPlace, type SqlAnswer } from "../connection/mod.ts"
import { openItems } from "./_page_open.ts"
import { type ItemLists, unfiled, postings } from "./_page_postings.ts"

export type Order = "ASC" | "DESC"

/** What a statement about pages of a list is made of. Its parameters are $1 keys, $2 position, $3 limit, and what the others say. */
export interface PageText {
  readonly lists: "postings" | "open"
  /** SQL for the keys of disjoint lists, `key`: those that `$1` names, where absent. "one" where `$1` is the key of the only list. */
  readonly keys?: string
  /** A list above them, by SQL for its key, of which what is not filed below it is sifted: those items that meet a condition on a row `r` of `table` belong to the selection. */
  readonly sift?: { readonly key: string; readonly table: string; readonly condition: string }
  /** A query of one row `low`, `high`: only items in [low, high); whatever else it has is for `head`. */
  readonly range?: string
  /** SQL for the item that the lists end before, where rollbacks have left more in them. */
  readonly end?: string
  readonly order: Order
  /** Columns of the head after the counts. */
  readonly head?: ReadonlyArray<string>
  readonly headText?: string
  readonly given?: ReadonlyArray<string>
  /** A query of place and line, over `page.item`. */
  readonly rows: ReadonlyArray<string>
}

/** SQL for the rows of a page: the line of each row `r` of a table, with what is joined to it. */
export const pageRows = (table: string, line: string, join = ""): string => `
SELECT page.item, shown.line FROM page CROSS JOIN LATERAL (
  SELECT ${line} AS line FROM ${table} AS r ${
  join === "" ? "" : `CROSS JOIN LATERAL ${join}`
} WHERE r.item_id = page.item LIMIT 1
) AS shown`

/**
 * A page with its counts. Every probe is a sub-query of its own with a limit, so that a plan made for no particular key still goes by the
 * index, whatever the statistics say.
 */
export const pageStatement = (page: PageText): string => {
  const lists: ItemLists = page.lists === "open" ? openItems : postings
  const { end = lastPlace, order, sift } = page
  const given = page.range ??
    (page.end === undefined ? undefined : `SELECT 0::bigint AS low, ${lastPlace} AS upper`)
  const hasRange = given !== undefined
  const low = hasRange ? "bounds.low" : "0::bigint"
  const high = hasRange ? "bounds.high" : `${lastPlace}::bigint`
  // ascending from the position on, descending below it
  const position = hasRange ? "bounds.position" : "$2::bigint"
  const [from, below] = order === "ASC" ? [position, high] : [low, position]
  const bounds = hasRange ? "CROSS JOIN bounds" : ""
  const read = order === "ASC" ? lists.ascending : lists.descending
  const measures = (key: string) =>
    lists.measures(key, hasRange ? { low, position, high } : { low: null, position, high: null })
  const range = hasRange ?
    [`bounds AS MATERIALIZED (
  SELECT bound.*, least(greatest($2::bigint, bound.low), bound.high) AS position
  FROM (SELECT given.*, greatest(given.low, least(given.upper, ${end})) AS high FROM (${given}) AS given) AS bound
)`] :
    []
  const counts =
    `measured.above - measured.under AS total, measured.reached - measured.under AS before,
    CASE WHEN measured.above > measured.under THEN measured.first END AS first, CASE WHEN measured.above > measured.under THEN measured.last END AS last`
  const once = hasRange ? "bounds" : "(VALUES (1)) AS one"
  const only = page.keys === "one" && sift === undefined
  const selection = only ?
    [
      ...range,
      `measured AS MATERIALIZED (SELECT found.* FROM ${once} CROSS JOIN LATERAL (${
        measures("$1::bytea")
      }) AS found)`,
      `counted AS (SELECT ${counts} FROM measured)`,
      `page AS MATERIALIZED (SELECT found.item FROM ${once} CROSS JOIN LATERAL (${
        read("$1::bytea", from, below, "$3::bigint")
      }) AS found)`
    ] :
    [
      `listed AS MATERIALIZED (${
        page.keys === "one"
          ? "SELECT $1::bytea AS key"
          : page.keys ?? "SELECT key FROM unnest($1::bytea[]) AS asked (key)"
      })`,
      ...range,
      ...(sift === undefined ? [] : [`sifted AS MATERIALIZED (
  SELECT r.item_id AS item FROM ${sift.table} AS r ${bounds}
  WHERE r.item_id = ANY(${unfiled(sift.key)}::bigint[]) AND ${sift.condition} ${
        hasRange ? `AND r.item_id >= ${low} AND r.item_id < ${high}` : ""
      }
)`]),
      `measured AS MATERIALIZED (SELECT found.* FROM listed ${bounds} CROSS JOIN LATERAL (${
        measures("listed.key")
      }) AS found)`,
      `part AS (
  SELECT ${counts} FROM measured
  ${
        sift === undefined
          ? ""
          : `UNION ALL SELECT count(*), count(*) FILTER (WHERE sifted.item < ${position}), min(sifted.item), max(sifted.item) FROM sifted ${bounds}`
      }
)`,
      `counted AS (SELECT coalesce(sum(part.total), 0) AS total, coalesce(sum(part.before), 0) AS before, min(part.first) AS first, max(part.last) AS last FROM part)`,
      `page AS MATERIALIZED (
  SELECT found.item FROM (
    SELECT each.item FROM listed ${bounds} CROSS JOIN LATERAL (${
        read("listed.key", from, below, "$3::bigint")
      }) AS each
    ${
        sift === undefined
          ? ""
          : `UNION ALL SELECT sifted.item FROM sifted ${bounds} WHERE sifted.item >= ${from} AND sifted.item < ${below}`
      }
  ) AS found ORDER BY found.item ${order} LIMIT $3::bigint
)`
    ]
  return answerStatement({
    given: [...selection, ...page.given ?? []],
    head: [
      "ledger.lists_cut",
      "counted.total",
      "counted.before",
      "counted.first",
      "counted.last",
      ...page.head ?? []
    ],
    ...(page.headText === undefined ? {} : { headText: page.headText }),
    from: `CROSS JOIN counted ${bounds}`,
    rows: page.rows,
    order
  })
}

/** The position that a page begins with: descending, the first that it leaves out. */
export const positionOf = (order: Order, fromItem: number | undefined): string =>
  order === "ASC"
    ? String(fromItem ?? 0)
    : fromItem === undefined
    ? lastPlace
    : String(fromItem + 1)

/** The counts that the head of a page tells, and what it holds beside them. */
export const countsOf = (
  { head: [isCut, total, before, first, last, ...rest] }: SqlAnswer,
  order: Order,
  items: number
): {
  /** False where there may be more in the lists than there are rows. */
  readonly isCut: boolean
  readonly counts: PageCounts
  readonly rest: ReadonlyArray<string>
} => ({
  isCut: flag(isCut!),
  counts: {
    pendingItems: (order === "ASC" ? Number(total) - Number(before) : Number(before)) - items,
    totalItems: Number(total),
    firstItem: intOrNull(first!),
    lastItem: intOrNull(last!)
  },
  rest
})
