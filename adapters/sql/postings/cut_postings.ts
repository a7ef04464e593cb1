import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  type Entries,
  entriesBelow,
  entriesOfValues,
  hasListsBelow,
  type ListedEntries
} from "./posting_entries.ts"
import type { PostingListName } from "./posting_lists.ts"
import { cutStatement } from "./postings.ts"
import { forgetRemoved, lastRemoved } from "./removed_rows.ts"

/** Cuts the lists by all that a rollback has removed, the last of it first; the caller holds the ledger's row. */
export const cutRemoved = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient): Effect.fn.Return<void, SqlError.SqlError> {
    for (;;) {
      const removed = yield* lastRemoved(sql)
      if (removed.length === 0) break
      yield* cutPostings(
        sql,
        yield* Effect.forEach(
          removed,
          ({ name, values }) =>
            Effect.map(entriesOfValues(name, values), (entries) => ({ name, ...entries }))
        )
      )
      yield* forgetRemoved(sql, removed)
    }
    yield* sql.unsafe("UPDATE ledger SET lists_cut = true")
  }
)

/** Takes items out of the lists, each all that its keys have from the first of them on. */
const cutPostings = (
  sql: SqlClient.SqlClient,
  lists: ReadonlyArray<ListedEntries & { readonly name: PostingListName }>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    const counts = filedCounts(yield* cut(sql, lists.map(({ single }) => single)))
    const below = yield* Effect.forEach(lists, ({ additions, name, single }) => {
      const filed = [...single].filter(([key]) => counts.has(key) && hasListsBelow(name, key))
      return entriesBelow(
        sql,
        name,
        new Map(filed.map(([key, items]) => [key, items.slice(0, counts.get(key)!)])),
        additions
      )
    })
    yield* cut(sql, below)
  })

interface Filed {
  readonly key: string
  readonly filed: number
}

const filedCounts = (rows: ReadonlyArray<Filed>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { filed, key } of rows) counts.set(key, (counts.get(key) ?? 0) + filed)
  return counts
}

const cut = (
  sql: SqlClient.SqlClient,
  lists: ReadonlyArray<Entries>
): Effect.Effect<ReadonlyArray<Filed>, SqlError.SqlError> => {
  const keys = lists.flatMap((entries) => [...entries.keys()])
  const items = lists.flatMap((entries) => Array.from(entries.values(), (items) => items[0]!))
  return keys.length === 0
    ? Effect.succeed([])
    : sql.unsafe<Filed>(cutStatement, [bytesArray(keys), bigintArray(items)])
}
