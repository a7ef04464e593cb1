import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, bytesArray } from "./_parameters.ts"
import { type Entries, entriesBelow, hasListsBelow, storedEntries } from "./_posting_entries.ts"
import type { PostingListName } from "./_posting_lists.ts"
import { cutStatement, endsStatement, rowItems } from "./_postings.ts"

/** Takes every item from one on out of the lists of a table, whose rows are still there. */
export const cutPostings = (sql: SqlClient.SqlClient, name: PostingListName, fromItem: bigint): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { additions, single } = yield* storedEntries(sql, name, fromItem)
    if (single.size === 0) return
    const above = [...single].filter(([key]) => hasListsBelow(name, key))
    const ends = above.length === 0 ? [] : yield* sql.unsafe<End>(endsStatement, [bytesArray(above.map(([key]) => key)), bigintArray(above.map(([, items]) => items[0]!))])
    const below = yield* entriesBelow(sql, name, fallingBelow(ends, single), additions)
    const cuts = [...single, ...below]
    yield* sql.unsafe(cutStatement, [bytesArray(cuts.map(([key]) => key)), bigintArray(cuts.map(([, items]) => items[0]!))])
  })

/** How many items a key has, and those of the row that its cut falls into, where that is full. */
interface End {
  readonly key: string
  readonly total: bigint
  readonly broken: string | null
}

/** By key the items that lie in full rows and will not any more: those that go, and the others of the row that the cut falls into. */
const fallingBelow = (ends: ReadonlyArray<End>, going: Entries): Entries => {
  const falling: Entries = new Map()
  for (const { broken, key, total } of ends) {
    const items = going.get(key)!
    const open = Number(total) % rowItems
    const fromFull = items.slice(0, Math.max(0, items.length - open))
    const staying = broken === null ? [] : broken.split(",").map(Number).filter((item) => item < items[0]!)
    if (staying.length + fromFull.length > 0) falling.set(key, [...staying, ...fromFull])
  }
  return falling
}
