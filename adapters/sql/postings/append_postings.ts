import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bytesArray, texts } from "../connection/mod.ts"
import {
  type Entries,
  entriesBelow,
  entriesOf,
  hasListsBelow,
  type KnownAdditions,
  type ListedEntries
} from "./posting_entries.ts"
import type { ListedRows, PostingListName } from "./posting_lists.ts"
import { appendStatement } from "./postings.ts"

type Writing = Effect.Effect<void, SqlError.SqlError>

/** Files new rows of a list, ascending by item, under their keys, and what becomes full below. */
export const appendPostings = <List extends PostingListName>(
  sql: SqlClient.SqlClient,
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Writing =>
  Effect.flatMap(
    entriesOf(name, rows),
    (entries) => appendEntries(sql, name, entries, entries.additions)
  )

/** As above, of rows whose entries are known; `known` are their additions, and those of earlier rows where they are at hand. */
export const appendEntries = (
  sql: SqlClient.SqlClient,
  name: PostingListName,
  { single }: ListedEntries,
  known: KnownAdditions
): Writing =>
  Effect.gen(function*() {
    if (single.size === 0) return
    const rows = (yield* append(sql, single)).filter(({ key }) => hasListsBelow(name, key)).map((
      { items, key }
    ) => ({ key, items: items.split(",").map(Number) }))
    const filed: Entries = new Map()
    for (const { items, key } of rows.sort((a, b) => a.items[0]! - b.items[0]!)) {
      const before = filed.get(key)
      if (before === undefined) filed.set(key, items)
      else before.push(...items)
    }
    const below = yield* entriesBelow(sql, name, filed, known)
    if (below.size > 0) yield* append(sql, below)
  })

const itemsColumn = texts<ReadonlyArray<number>>((items) => `{${items.join(",")}}`)

const append = (sql: SqlClient.SqlClient, entries: Entries) =>
  sql.unsafe<{ readonly key: string; readonly items: string }>(appendStatement, [
    bytesArray([...entries.keys()]),
    itemsColumn.arrayOf([...entries.values()])
  ])
