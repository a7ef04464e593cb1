/**
 * SQL over lists of ascending item ids. `listed.key` has the keys of the lists. The other arguments
 * are SQL expressions.
 */
export interface ItemLists {
  /**
   * Returns the expressions and the tables of a row for each list: how many of its items are below
   * the range (`under`), below the position (`reached`) and below the end of the range (`above`),
   * and the smallest and the greatest item in the range (`first` and `last`), which are undefined if
   * the range is empty. `items` reads further columns of these rows.
   */
  readonly measures: (bounds: ItemBounds) => {
    readonly columns: ReadonlyArray<string>
    /** Joins to `listed`. */
    readonly joins: ReadonlyArray<string>
  }
  /**
   * Returns a query of `item` over the rows of `measured`, which begins at their position: items in
   * [from, below), at least the `limit` first ones, or the last ones in descending order.
   */
  readonly items: (page: ItemRange) => string
}

/** A range [low, high) of item ids, or all if both are null, and a position in it. */
export interface ItemBounds {
  readonly low: string | null
  readonly position: string
  readonly high: string | null
}

/** The items of a page are the first or the last ones in [from, below). */
export interface ItemRange {
  readonly from: string
  readonly below: string
  readonly order: "ASC" | "DESC"
  /** The greatest number of items. */
  readonly limit: string
  /** Joins the table that `from` and `below` name; empty if they name none. */
  readonly join: string
}

/** Returns a query of the first full row of a key that meets a condition, in the given order. */
const fullRow = (
  columns: string,
  key: string,
  condition: string,
  order: "ASC" | "DESC"
): string =>
  `SELECT ${columns} FROM posting_full AS row WHERE row.key = ${key}${condition} ORDER BY row.first_item ${order} LIMIT 1`

/** Joins a row that may not exist. */
const leftJoin = (row: string, name: string): string =>
  `LEFT JOIN LATERAL (${row}) AS ${name} ON true`

/**
 * Joins the full row with the greatest first item below `item`, unless the last row begins below it.
 */
const joinRowBefore = (name: string, item: string): string =>
  leftJoin(
    fullRow(
      "row.first_item, row.first_ordinal, row.items",
      "listed.key",
      ` AND row.first_item < ${item} AND ${item} <= tail.first_item`,
      "DESC"
    ),
    name
  )

/** Returns how many items of an array are below `item`. */
const countBelow = (item: string, items: string): string => `width_bucket(${item} - 1, ${items})`

/** Returns how many items of a list are below `item`; `row` is that of `joinRowBefore`. */
const rank = (item: string, row: string): string =>
  `CASE WHEN ${item} > tail.first_item THEN tail.first_ordinal + ${
    countBelow(item, "tail.items")
  } ELSE coalesce(${row}.first_ordinal + ${countBelow(item, `${row}.items`)}, 0) END`

/**
 * The lists in `posting` (see `postings.ts`). A rank takes the last row of the list and, if the item
 * is not in it, one index probe in the full rows. A page starts from the row of its position and
 * walks from row to row, one probe each, until it has enough items: for a query of several rows
 * PostgreSQL would read and sort all rows of the key, since it estimates that there are few. The
 * last row is always read, so the walk leaves it out.
 */
export const postings: ItemLists = {
  measures: ({ high, low, position }) => ({
    columns: [
      `${low === null ? "0" : rank(low, "low_row")} AS under`,
      `${rank(position, "place")} AS reached`,
      `${
        high === null
          ? "coalesce(tail.first_ordinal + cardinality(tail.items), 0)"
          : rank(high, "high_row")
      } AS above`,
      `${low === null ? firstOfAll : firstFrom(low)} AS first`,
      `${high === null ? "tail.items[cardinality(tail.items)]" : lastBelow(high)} AS last`,
      "listed.key",
      "tail.first_item AS tail_item",
      "tail.items AS tail_items",
      "place.first_item AS place_item",
      "place.items AS place_items"
    ],
    joins: [
      leftJoin(
        "SELECT row.first_item, row.first_ordinal, row.items FROM posting_last AS row WHERE row.key = listed.key LIMIT 1",
        "tail"
      ),
      joinRowBefore("place", position),
      ...low === null ? [] : [joinRowBefore("low_row", low)],
      ...high === null ? [] : [joinRowBefore("high_row", high)]
    ]
  }),
  items: (page) => `
WITH RECURSIVE walk AS (
  ${page.order === "ASC" ? startAscending(page) : startDescending(page)}
  UNION ALL
  SELECT walk.key, following.first_item, following.items, walk.found + cardinality(following.items)
  FROM walk ${page.join} CROSS JOIN LATERAL (${
    page.order === "ASC"
      ? fullRow(
        "row.first_item, row.items",
        "walk.key",
        ` AND row.first_item > walk.first_item AND row.first_item < ${page.below}`,
        "ASC"
      )
      : fullRow(
        "row.first_item, row.items",
        "walk.key",
        " AND row.first_item < walk.first_item",
        "DESC"
      )
  }) AS following
  WHERE walk.found < ${page.limit}${
    page.order === "ASC" ? "" : ` AND walk.first_item > ${page.from}`
  }
)
SELECT each.item FROM (
  SELECT unnest(${slice("walk.items", page)}) AS item FROM walk ${page.join}
  UNION ALL SELECT unnest(${slice("measured.tail_items", page)}) FROM measured ${page.join}
) AS each ${page.join} WHERE each.item >= ${page.from} AND each.item < ${page.below}`
}

/** Returns the first or the last items of an array that a page can have: a row has 64, a page 20. */
const slice = (items: string, { below, from, limit, order }: ItemRange): string => {
  const [before, count] = [countBelow(order === "ASC" ? from : below, items), `(${limit})::integer`]
  return order === "ASC"
    ? `${items}[${before} + 1:${before} + ${count}]`
    : `${items}[${before} - ${count} + 1:${before}]`
}

const firstOfAll = `coalesce((${
  fullRow("row.first_item", "listed.key", "", "ASC")
}), tail.first_item)`

const firstFrom = (low: string): string =>
  `CASE WHEN ${low} > tail.first_item THEN tail.items[${countBelow(low, "tail.items")} + 1]
    ELSE coalesce(low_row.items[${countBelow(low, "low_row.items")} + 1], (${
    fullRow("row.first_item", "listed.key", ` AND row.first_item >= ${low}`, "ASC")
  }), tail.first_item) END`

const lastBelow = (high: string): string =>
  `CASE WHEN ${high} > tail.first_item THEN tail.items[${countBelow(high, "tail.items")}]
    ELSE high_row.items[${countBelow(high, "high_row.items")}] END`

/** The row of the position; if no full row begins before it, the walk begins with the first one. */
const startAscending = ({ from, join }: ItemRange): string =>
  `SELECT key, coalesce(place_item, -1) AS first_item, place_items AS items, coalesce(cardinality(place_items) - ${
    countBelow(from, "place_items")
  }, 0) AS found FROM measured ${join} WHERE ${from} <= tail_item`

/** The row of the position, or none if it is the last row. */
const startDescending = ({ below, join }: ItemRange): string =>
  `SELECT key, coalesce(place_item, tail_item) AS first_item, place_items AS items, coalesce(${
    countBelow(below, "place_items")
  }, ${countBelow(below, "tail_items")}) AS found FROM measured ${join} WHERE tail_item IS NOT NULL`

/**
 * Returns SQL for the items of a key that are not yet in its lists of combined filters, as an
 * array; NULL if the list is empty.
 */
export const unindexedTail = (key: string): string =>
  `(SELECT row.items[row.filed + 1:] FROM posting_last AS row WHERE row.key = ${key} LIMIT 1)`
