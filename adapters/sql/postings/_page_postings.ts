/**
 * SQL over lists of ascending item ids. The arguments are SQL expressions: a key, item ids, and the
 * greatest number of items.
 */
export interface ItemLists {
  /**
   * Returns a query of one row: how many items of the list are below the range (`under`), below the
   * position (`reached`) and below the end of the range (`above`), and the smallest and the
   * greatest item in the range (`first` and `last`). If the range is empty, `first` and `last` are
   * undefined.
   */
  readonly measures: (key: string, bounds: ItemBounds) => string
  /** Returns a query of `item`: the first items in [from, below), ascending. */
  readonly ascending: (key: string, from: string, below: string, limit: string) => string
  /** Returns a query of `item`: the last items in [from, below), descending. */
  readonly descending: (key: string, from: string, below: string, limit: string) => string
}

/** A range [low, high) of item ids, or all if both are null, and a position in it. */
export interface ItemBounds {
  readonly low: string | null
  readonly position: string
  readonly high: string | null
}

/** Returns a query of the first row of a key that meets a condition, in the given order. */
const nearest = (columns: string, key: string, condition: string, order: "ASC" | "DESC"): string =>
  `SELECT ${columns} FROM posting WHERE posting.key = ${key}${condition} ORDER BY posting.first_item ${order} LIMIT 1`
const rowBefore = (columns: string, key: string, condition: string): string =>
  nearest(columns, key, ` AND ${condition}`, "DESC")
const rowAfter = (columns: string, key: string, condition: string): string =>
  nearest(columns, key, ` AND ${condition}`, "ASC")

/** Joins a row that may not exist. */
const leftJoin = (row: string, name: string): string =>
  `LEFT JOIN LATERAL (${row}) AS ${name} ON true`

const itemsOf = (
  start: string,
  next: string,
  from: string,
  below: string,
  order: "ASC" | "DESC",
  limit: string
): string => `
WITH RECURSIVE stretch AS (
  SELECT start.* FROM (VALUES (1)) AS one ${leftJoin(start, "start")}
  UNION ALL
  SELECT following.first_item, following.items, coalesce(stretch.found, 0) + cardinality(following.items)
  FROM stretch CROSS JOIN LATERAL (${next}) AS following
)
SELECT listed.item FROM stretch CROSS JOIN LATERAL unnest(stretch.items) AS listed (item)
WHERE listed.item >= ${from} AND listed.item < ${below} ORDER BY listed.item ${order} LIMIT ${limit}`

/**
 * The lists in `posting` (see `postings.ts`). A rank takes one index probe, and the row that it
 * finds also holds the item at that end. A page walks from row to row, one probe each, until it has
 * enough items: for a query of several rows PostgreSQL would read and sort all rows of the key,
 * since it estimates that there are few.
 */
export const postings: ItemLists = {
  measures: (key, { high, low, position }) => {
    const tail = high === null
      ? nearest(
        "first_ordinal + cardinality(items) AS rank, items[cardinality(items)] AS item",
        key,
        " AND posting.is_last",
        "DESC"
      )
      : rowBefore(
        `first_ordinal + width_bucket(${high} - 1, items) AS rank, items[width_bucket(${high} - 1, items)] AS item`,
        key,
        `posting.first_item < ${high}`
      )
    const start = low === null
      ? nearest("0 AS rank, first_item AS item", key, "", "ASC")
      // if the row has no such item, the next row begins with it (`first`)
      : rowBefore(
        `first_ordinal + width_bucket(${low} - 1, items) AS rank, items[width_bucket(${low} - 1, items) + 1] AS item`,
        key,
        `posting.first_item < ${low}`
      )
    const first = low === null
      ? "head.item"
      : `coalesce(head.item, (${rowAfter("first_item", key, `posting.first_item >= ${low}`)}))`
    return `
SELECT coalesce(head.rank, 0) AS under, coalesce(place.rank, 0) AS reached, coalesce(tail.rank, 0) AS above, ${first} AS first, tail.item AS last
FROM (VALUES (1)) AS one ${leftJoin(tail, "tail")} ${leftJoin(start, "head")}
${
      leftJoin(
        rowBefore(
          `first_ordinal + width_bucket(${position} - 1, items) AS rank`,
          key,
          `posting.first_item < ${position}`
        ),
        "place"
      )
    }`
  },
  ascending: (key, from, below, limit) =>
    itemsOf(
      rowBefore(
        `first_item, items, cardinality(items) - width_bucket(${from} - 1, items) AS found`,
        key,
        `posting.first_item <= ${from}`
      ),
      // if no row begins at or below `from`, the page begins with the first row
      `SELECT * FROM (${
        rowAfter(
          "first_item, items",
          key,
          `posting.first_item > coalesce(stretch.first_item, ${from})`
        )
      }) AS after
    WHERE coalesce(stretch.found, 0) < ${limit} AND after.first_item < ${below}`,
      from,
      below,
      "ASC",
      limit
    ),
  descending: (key, from, below, limit) =>
    itemsOf(
      rowBefore(
        `first_item, items, width_bucket(${below} - 1, items) AS found`,
        key,
        `posting.first_item < ${below}`
      ),
      `SELECT * FROM (${
        rowBefore("first_item, items", key, "posting.first_item < stretch.first_item")
      }) AS before
    WHERE stretch.found < ${limit} AND stretch.first_item > ${from}`,
      from,
      below,
      "DESC",
      limit
    )
}

/**
 * Returns SQL for the items of a key that are not yet in its lists of combined filters, as an
 * array; NULL if the list is empty.
 */
export const unindexedTail = (key: string): string =>
  `(${nearest("items[filed + 1:]", key, " AND posting.is_last", "DESC")})`
