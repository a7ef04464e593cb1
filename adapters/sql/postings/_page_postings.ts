import { rowItems } from "./postings.ts"

/**
 * SQL over lists of ascending item ids. `listed.key` has the keys of the lists. The other arguments
 * are SQL expressions.
 */
export interface ItemLists {
  /**
   * Returns the expressions and the tables of a row for each list: how many of its items are below
   * the range (`under`), below the position (`reached`) and below the end of the range (`above`);
   * the smallest and the greatest item in the range (`first` and `last`), which are undefined if
   * the range is empty; and an array of items in any order (`items`) that has those of the page, and
   * maybe others.
   */
  readonly measures: (page: ItemRange) => {
    readonly columns: ReadonlyArray<string>
    /** Joins to `listed`. */
    readonly joins: ReadonlyArray<string>
  }
}

/**
 * A page of the items in a range [low, high); null stands for no bound. In ascending order it has the
 * first items from the position on, otherwise the last ones below it.
 */
export interface ItemRange {
  readonly low: string | null
  readonly high: string | null
  readonly position: string
  readonly order: "ASC" | "DESC"
  /** The greatest number of items. */
  readonly limit: string
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
 * is not in it, one index probe in the full rows. A page has items of the row of its position, of as
 * many full rows after it as it needs, in the order of the index, and of the last row.
 */
export const postings: ItemLists = {
  measures: (range) => {
    const { high, low, position } = range
    return {
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
        `${itemsOfPage(range)} AS items`
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
    }
  }
}

/**
 * Returns the items of the page in the row of its position and in the last row, and if these may be
 * too few, those of the full rows between them. Without a row of the position the page begins with
 * the first row, or in descending order with the last one.
 */
const itemsOfPage = ({ high, limit, low, order, position }: ItemRange): string => {
  const slice = (items: string): string => {
    const [before, count] = [countBelow(position, items), `(${limit})::integer`]
    return order === "ASC"
      ? `${items}[${before} + 1:${before} + ${count}]`
      : `${items}[${before} - ${count} + 1:${before}]`
  }
  const [belowPlace, belowTail] = [
    countBelow(position, "place.items"),
    countBelow(position, "tail.items")
  ]
  const [isShort, isNext] = order === "ASC"
    ? [
      `${position} <= tail.first_item AND coalesce(cardinality(place.items) - ${belowPlace}, 0) < ${limit}`,
      `row.first_item > coalesce(place.first_item, -1)${
        high === null ? "" : ` AND row.first_item < ${high}`
      }`
    ]
    : [
      `coalesce(${belowPlace}, ${belowTail}) < ${limit}${
        low === null ? "" : ` AND ${low} < coalesce(place.first_item, tail.first_item)`
      }`,
      `row.first_item < coalesce(place.first_item, tail.first_item)${
        low === null ? "" : " AND row.first_item >= coalesce(low_row.first_item, 0)"
      }`
    ]
  return `${slice("place.items")} || CASE WHEN ${isShort} THEN ARRAY(
    SELECT unnest(following.items) FROM (
      SELECT row.items FROM posting_full AS row WHERE row.key = listed.key AND ${isNext}
      ORDER BY row.first_item ${order} LIMIT (${limit} + ${rowItems - 1}) / ${rowItems}
    ) AS following) END || ${slice("tail.items")}`
}

/** A list has full rows if items come before those of its last row. */
const firstOfAll = `CASE WHEN tail.first_ordinal > 0 THEN (${
  fullRow("row.first_item", "listed.key", "", "ASC")
}) ELSE tail.first_item END`

const firstFrom = (low: string): string =>
  `CASE WHEN ${low} > tail.first_item THEN tail.items[${countBelow(low, "tail.items")} + 1]
    ELSE coalesce(low_row.items[${countBelow(low, "low_row.items")} + 1], (${
    fullRow("row.first_item", "listed.key", ` AND row.first_item >= ${low}`, "ASC")
  }), tail.first_item) END`

const lastBelow = (high: string): string =>
  `CASE WHEN ${high} > tail.first_item THEN tail.items[${countBelow(high, "tail.items")}]
    ELSE high_row.items[${countBelow(high, "high_row.items")}] END`

/**
 * Returns SQL for the items of a key that are not yet in its lists of combined filters, as an
 * array; NULL if the list is empty.
 */
export const unindexedTail = (key: string): string =>
  `(SELECT row.items[row.filed + 1:] FROM posting_last AS row WHERE row.key = ${key} LIMIT 1)`
