import { lastPlace } from "./_read_answer.ts"

/** SQL over lists of item ids in ascending order, whatever holds them. Arguments are SQL: a key, item ids, and how many items at most. */
export interface ItemLists {
  /** How many items of the list are below an item id. */
  readonly rank: (key: string, below: string) => string
  /** The smallest item from one on, and the greatest below one; NULL where there is none. */
  readonly first: (key: string, from: string) => string
  readonly last: (key: string, below: string) => string
  /** A query of `item`: the first items of a list in [from, below), ascending. */
  readonly ascending: (key: string, from: string, below: string, limit: string) => string
  /** The last ones, descending. */
  readonly descending: (key: string, from: string, below: string, limit: string) => string
}

/** The rows of a key on one side of a place: the nearest one. */
const nearest = (columns: string, key: string, condition: string, order: "ASC" | "DESC"): string =>
  `SELECT ${columns} FROM posting WHERE posting.key = ${key} AND ${condition} ORDER BY posting.first_item ${order} LIMIT 1`
const rowBefore = (columns: string, key: string, condition: string): string => nearest(columns, key, condition, "DESC")
const rowAfter = (columns: string, key: string, condition: string): string => nearest(columns, key, condition, "ASC")

const itemsOf = (stretches: string, from: string, below: string, order: "ASC" | "DESC", limit: string): string => `
WITH RECURSIVE stretch AS (${stretches})
SELECT listed.item FROM stretch CROSS JOIN LATERAL unnest(stretch.items) AS listed (item)
WHERE listed.item >= ${from} AND listed.item < ${below} ORDER BY listed.item ${order} LIMIT ${limit}`

/**
 * Lists in `posting`: see `_postings.ts`. A rank is one index probe. A page walks from row to row, one probe each, until it has its
 * items: asked for several rows at once, PostgreSQL would rather read and sort all rows of the key, of which it expects few.
 */
export const postings: ItemLists = {
  rank: (key, below) =>
    `coalesce((${rowBefore(`first_ordinal + width_bucket(${below} - 1, items)`, key, `posting.first_item < ${below}`)}), 0)`,
  first: (key, from) => `coalesce(
  (${rowBefore(`items[width_bucket(${from} - 1, items) + 1]`, key, `posting.first_item <= ${from}`)}),
  (${rowAfter("first_item", key, `posting.first_item > ${from}`)}))`,
  last: (key, below) => `(${rowBefore(`items[width_bucket(${below} - 1, items)]`, key, `posting.first_item < ${below}`)})`,
  ascending: (key, from, below, limit) => itemsOf(`
  (${rowAfter(`first_item, items, cardinality(items) - width_bucket(${from} - 1, items) AS found`, key,
    `posting.first_item >= coalesce((${rowBefore("first_item", key, `posting.first_item <= ${from}`)}), 0)`)})
  UNION ALL
  SELECT following.first_item, following.items, stretch.found + cardinality(following.items)
  FROM stretch CROSS JOIN LATERAL (${rowAfter("first_item, items", key, "posting.first_item > stretch.first_item")}) AS following
  WHERE stretch.found < ${limit} AND following.first_item < ${below}`, from, below, "ASC", limit),
  descending: (key, from, below, limit) => itemsOf(`
  (${rowBefore(`first_item, items, width_bucket(${below} - 1, items) AS found`, key, `posting.first_item < ${below}`)})
  UNION ALL
  SELECT following.first_item, following.items, stretch.found + cardinality(following.items)
  FROM stretch CROSS JOIN LATERAL (${rowBefore("first_item, items", key, "posting.first_item < stretch.first_item")}) AS following
  WHERE stretch.found < ${limit} AND stretch.first_item > ${from}`, from, below, "DESC", limit)
}

/** A query of `item`: what of a list is not filed in the lists below it, in no order. */
export const unfiled = (key: string): string => `
SELECT listed.item FROM (${rowBefore("items[filed + 1:] AS items", key, `posting.first_item < ${lastPlace}`)}) AS tail
CROSS JOIN LATERAL unnest(tail.items) AS listed (item)`
