import { lastPlace } from "../connection/mod.ts"
import { openLevels } from "./open_items.ts"
import type { ItemLists } from "./_page_postings.ts"

const [fineLevel, coarseLevel] = openLevels

const countOf = (key: string, { level }: typeof openLevels[number], condition: string): string =>
  `coalesce((SELECT sum(open_count.items) FROM open_count WHERE open_count.key = ${key} AND open_count.level = ${level} AND ${condition}), 0)`

const nearest = (columns: string, key: string, condition: string, order: "ASC" | "DESC"): string =>
  `SELECT ${columns} FROM open_item WHERE open_item.key = ${key} AND ${condition} ORDER BY open_item.item ${order} LIMIT 1`

const itemsFrom = (first: string, next: string, end: string, limit: string): string => `
WITH RECURSIVE walk AS (
  (${first})
  UNION ALL
  SELECT following.item, walk.found + 1 FROM walk CROSS JOIN LATERAL (${next}) AS following WHERE walk.found < ${limit} AND following.item ${end}
)
SELECT walk.item FROM walk WHERE walk.item ${end}`

const rank = (key: string, below: string): string => {
  const coarseBucket = `(${below} >> ${coarseLevel.bits})`
  const bucket = `(${below} >> ${fineLevel.bits})`
  return `(${countOf(key, coarseLevel, `open_count.bucket < ${coarseBucket}`)}
  + ${
    countOf(
      key,
      fineLevel,
      `open_count.bucket >= (${coarseBucket} << ${
        coarseLevel.bits - fineLevel.bits
      }) AND open_count.bucket < ${bucket}`
    )
  }
  + (SELECT count(*) FROM open_item WHERE open_item.key = ${key} AND open_item.item >= (${bucket} << ${fineLevel.bits}) AND open_item.item < ${below}))`
}

/**
 * The lists in `open_item` (see `open_items.ts`). A rank sums the coarse buckets before an item,
 * then the fine ones, then single items. A page walks from item to item with one probe each, for
 * the reason in `_page_postings.ts`.
 */
export const openItems: ItemLists = {
  measures: (key, { high, low, position }) => `
SELECT ${low === null ? "0" : rank(key, low)} AS under, ${rank(key, position)} AS reached, ${
    rank(key, high ?? `${lastPlace}::bigint`)
  } AS above,
  (${nearest("item", key, `open_item.item >= ${low ?? "0"}`, "ASC")}) AS first, (${
    nearest("item", key, `open_item.item < ${high ?? lastPlace}`, "DESC")
  }) AS last`,
  ascending: (key, from, below, limit) =>
    itemsFrom(
      nearest("item, 1::bigint AS found", key, `open_item.item >= ${from}`, "ASC"),
      nearest("item", key, "open_item.item > walk.item", "ASC"),
      `< ${below}`,
      limit
    ),
  descending: (key, from, below, limit) =>
    itemsFrom(
      nearest("item, 1::bigint AS found", key, `open_item.item < ${below}`, "DESC"),
      nearest("item", key, "open_item.item < walk.item", "DESC"),
      `>= ${from}`,
      limit
    )
}
