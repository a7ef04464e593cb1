import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  combinedEntries,
  type Entries,
  entriesOfValues,
  hasCombinations,
  type ListedEntries
} from "./posting_entries.ts"
import type { PostingListName } from "./posting_lists.ts"
import { cutStatement } from "./postings.ts"
import { deleteRemoved, lastRemoved } from "./removed_rows.ts"

/**
 * Removes from the posting lists the rows that a rollback has removed, the newest first. The caller
 * holds the lock on the row of `ledger`.
 */
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
      yield* deleteRemoved(sql, removed)
    }
    yield* sql.unsafe("UPDATE ledger SET lists_cut = true")
  }
)

/** Removes, under each key of the entries, all items from the first one of the entry on. */
const cutPostings = (
  sql: SqlClient.SqlClient,
  lists: ReadonlyArray<ListedEntries & { readonly name: PostingListName }>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    const counts = indexedCounts(yield* cut(sql, lists.map(({ single }) => single)))
    const combined = yield* Effect.forEach(lists, ({ name, single, suffixes }) => {
      const indexed = [...single].filter(([key]) => counts.has(key) && hasCombinations(name, key))
      return combinedEntries(
        sql,
        name,
        new Map(indexed.map(([key, items]) => [key, items.slice(0, counts.get(key)!)])),
        suffixes
      )
    })
    yield* cut(sql, combined)
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

const cut = (
  sql: SqlClient.SqlClient,
  lists: ReadonlyArray<Entries>
): Effect.Effect<ReadonlyArray<CutRow>, SqlError.SqlError> => {
  const keys = lists.flatMap((entries) => [...entries.keys()])
  const items = lists.flatMap((entries) => Array.from(entries.values(), (items) => items[0]!))
  return keys.length === 0
    ? Effect.succeed([])
    : sql.unsafe<CutRow>(cutStatement, [bytesArray(keys), bigintArray(items)])
}
