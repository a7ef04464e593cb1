import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bytesArray, texts, bigintArray } from "../connection/mod.ts"
import {
  combinedEntries,
  type Entries,
  entriesOf,
  hasCombinations,
  type KeySuffixes,
  type KnownSuffixes,
  type ListedEntries,
  entriesOfValues
} from "./posting_entries.ts"
import type { ListedRows, PostingListName } from "./posting_lists.ts"
import { appendStatement, cutStatement } from "./postings.ts"
import { deleteRemoved, lastRemoved } from "./removed_rows.ts"

/**
 * Appends new rows of a list, ascending by item, to its posting lists. The items of posting rows
 * that become full are appended to the lists of combined filters too.
 */
export const appendPostings = <List extends PostingListName>(
  sql: SqlClient.SqlClient,
  name: List,
  rows: ReadonlyArray<ListedRows[List]>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(
    entriesOf(name, rows),
    (entries) => appendEntries(sql, name, entries, entries.suffixes)
  )

/** The same for entries of rows; `known` has their suffixes, and cached ones of earlier rows. */
export const appendEntries = (
  sql: SqlClient.SqlClient,
  name: PostingListName,
  { single }: ListedEntries,
  known: KnownSuffixes
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    if (single.size === 0) return
    const full = (yield* append(sql, single)).filter(({ key }) => hasCombinations(name, key)).map((
      { items, key }
    ) => ({ key, items: items.split(",").map(Number) }))
    const indexed: Entries = new Map()
    for (const { items, key } of full.sort((a, b) => a.items[0]! - b.items[0]!)) {
      const before = indexed.get(key)
      if (before === undefined) indexed.set(key, items)
      else before.push(...items)
    }
    const combined = yield* combinedEntries(sql, name, indexed, known)
    if (combined.size > 0) yield* append(sql, combined)
  })

const itemsColumn = texts<ReadonlyArray<number>>((items) => `{${items.join(",")}}`)

const append = (sql: SqlClient.SqlClient, entries: Entries) =>
  sql.unsafe<{ readonly key: string; readonly items: string }>(appendStatement, [
    bytesArray([...entries.keys()]),
    itemsColumn.arrayOf([...entries.values()])
  ])

/** Greatest number of items in one generation of `SuffixCache`. */
const generationMax = 200_000

/**
 * Caches the key suffixes of the newest transactions, which are most items of a posting row that
 * becomes full. Holds committed rows only: item ids are never reused, so an entry is never stale,
 * even if another process writes meanwhile.
 */
export class SuffixCache implements KnownSuffixes {
  private current = new Map<number, KeySuffixes>()
  private previous = new Map<number, KeySuffixes>()

  readonly get = (item: number): KeySuffixes | undefined =>
    this.current.get(item) ?? this.previous.get(item)

  add(suffixes: ReadonlyMap<number, KeySuffixes>): void {
    if (this.current.size + suffixes.size > generationMax) {
      this.previous = this.current
      this.current = new Map()
    }
    for (const [item, each] of suffixes) this.current.set(item, each)
  }
}

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
