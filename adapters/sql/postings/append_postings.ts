import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bytesArray, texts } from "../connection/mod.ts"
import {
  combinedEntries,
  type Entries,
  entriesOf,
  hasCombinations,
  type KeySuffixes,
  type KnownSuffixes,
  type ListedEntries
} from "./posting_entries.ts"
import type { ListedRows, PostingListName } from "./posting_lists.ts"
import { appendStatement } from "./postings.ts"

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
