import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bytesArray, texts } from "./_parameters.ts"
import { type Entries, entriesBelow, entriesOf, hasListsBelow, type ListedEntries } from "./_posting_entries.ts"
import type { ListedRows, PostingListName } from "./_posting_lists.ts"
import { appendStatement } from "./_postings.ts"

type Writing = Effect.Effect<void, SqlError.SqlError>

/** Files new rows of a list, ascending by item, under their keys, and what becomes full below. */
export const appendPostings = <List extends PostingListName>(sql: SqlClient.SqlClient, name: List, rows: ReadonlyArray<ListedRows[List]>): Writing =>
  rows.length === 0 ? Effect.void : Effect.suspend(() => appendEntries(sql, name, entriesOf(name, rows)))

/** As above, of rows whose entries are known. */
export const appendEntries = (sql: SqlClient.SqlClient, name: PostingListName, { additions, single }: ListedEntries): Writing =>
  Effect.gen(function*() {
    const rows = (yield* append(sql, single)).filter(({ key }) => hasListsBelow(name, key)).map(({ items, key }) => ({ key, items: items.split(",").map(Number) }))
    const full: Entries = new Map()
    for (const { items, key } of rows.sort((a, b) => a.items[0]! - b.items[0]!)) {
      const before = full.get(key)
      if (before === undefined) full.set(key, items)
      else before.push(...items)
    }
    const below = yield* entriesBelow(sql, name, full, additions)
    if (below.size > 0) yield* append(sql, below)
  })

const itemsColumn = texts<ReadonlyArray<number>>((items) => `{${items.join(",")}}`)

const append = (sql: SqlClient.SqlClient, entries: Entries) =>
  sql.unsafe<{ readonly key: string; readonly items: string }>(appendStatement, [bytesArray([...entries.keys()]), itemsColumn.arrayOf([...entries.values()])])
