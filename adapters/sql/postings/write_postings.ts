import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, bytesArray, lastPlace } from "../connection/mod.ts"
import { combinedEntries, type Entries, entriesOf } from "./posting_entries.ts"
import { listedRowsQuery, type ListedRows, type PostingListName } from "./listed_rows.ts"
import { type RowQuery, selectRows } from "../entities/mod.ts"
import { appendStatement, cutStatement } from "./postings.ts"

/**
 * Appends new rows of a list, ascending by item, to its posting lists. Items that `appendStatement`
 * returns are appended to the lists of combined filters too.
 */
export const appendPostings = Effect.fnUntraced(function*<List extends PostingListName>(
  sql: SqlClient.SqlClient,
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.fn.Return<void, SqlError.SqlError> {
  const entries = yield* entriesOf(name, rows)
  if (entries.size === 0) return
  const full = (yield* append(sql, entries)).map(({ items, key }) => ({
    key,
    items: items.split(",").map(Number)
  }))
  const indexed: Entries = new Map()
  for (const { items, key } of full.sort((a, b) => a.items[0]! - b.items[0]!)) {
    const before = indexed.get(key)
    if (before === undefined) indexed.set(key, items)
    else before.push(...items)
  }
  const combined = yield* combinedEntries(sql, name, indexed, rows)
  if (combined.size > 0) yield* append(sql, combined)
})

const append = (sql: SqlClient.SqlClient, entries: Entries) =>
  sql.unsafe<{ readonly key: string; readonly items: string }>(appendStatement, [
    bytesArray([...entries.keys()]),
    `{${Array.from(entries.values(), (items) => `"{${items.join(",")}}"`).join(",")}}`
  ])

/** Returns the query of the last $3 rows of a list in [$1, $2), the newest first. */
export const lastRows = <List extends PostingListName>(name: List): RowQuery<ListedRows[List]> =>
  listedRowsQuery(
    name,
    "r.item_id >= $1::bigint AND r.item_id < $2::bigint ORDER BY r.item_id DESC LIMIT $3::bigint"
  )

/**
 * Calls `each` with the rows of a list from item `first` on, ascending, the newest first and
 * `rowsMax` at a time.
 */
export const eachOfLastRows = Effect.fnUntraced(function*<List extends PostingListName>(
  sql: SqlClient.SqlClient,
  name: List,
  first: bigint,
  each: (rows: ReadonlyArray<ListedRows[List]>) => Effect.Effect<unknown, SqlError.SqlError>,
  rowsMax = 4096
): Effect.fn.Return<void, SqlError.SqlError> {
  for (let end = lastPlace;;) {
    const last = (yield* selectRows(sql, lastRows(name), [first, end, rowsMax])).toReversed()
    if (last.length > 0) yield* each(last)
    if (last.length < rowsMax) return
    end = String(last[0]!.itemId)
  }
})

/**
 * Removes rows of a list, ascending and its last ones, from its posting lists: under each of their
 * keys, all items from the first one on.
 */
export const cutPostings = Effect.fnUntraced(function*<List extends PostingListName>(
  sql: SqlClient.SqlClient,
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.fn.Return<void, SqlError.SqlError> {
  const entries = yield* entriesOf(name, rows)
  const indexed: Entries = new Map()
  for (const [key, count] of indexedCounts(yield* cut(sql, entries))) {
    indexed.set(key, entries.get(key)!.slice(0, count))
  }
  yield* cut(sql, yield* combinedEntries(sql, name, indexed, rows))
})

interface CutRow {
  readonly key: string
  readonly filed: number
}

/** Returns, by key, how many of the removed items the lists of combined filters hold. */
const indexedCounts = (rows: ReadonlyArray<CutRow>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { filed, key } of rows) counts.set(key, (counts.get(key) ?? 0) + filed)
  return counts
}

const cut = (sql: SqlClient.SqlClient, entries: Entries) =>
  entries.size === 0
    ? Effect.succeed([])
    : sql.unsafe<CutRow>(cutStatement, [
      bytesArray([...entries.keys()]),
      bigintArray(Array.from(entries.values(), (items) => items[0]!))
    ])
