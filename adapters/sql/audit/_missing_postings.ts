import { Effect } from "effect"
import type { AuditCheck } from "../../../core/use_cases/mod.ts"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  type ListedRows,
  listedRowsQuery,
  type PostingListName,
  postingLists,
  type RowKeys
} from "../postings/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  reportViolations,
  rowsPerPage
} from "./_audit_snapshot.ts"
import { indexedOf, type PostingPart } from "./_posting_parts.ts"

/* The keys that rows must have, and the search for entries that they lack. */

type ListedRow = ListedRows[PostingListName]

/** Calls `each` with the rows of a table, page by page in the order of their items. */
export const eachPage = (
  { rows, select }: AuditSnapshot,
  name: PostingListName,
  each: (page: ReadonlyArray<ListedRow>) => AuditStep
): AuditStep =>
  Effect.gen(function*() {
    const [last] = yield* rows<{ readonly item: bigint | null }>(
      `SELECT max(item_id) AS item FROM ${postingLists[name].table}`
    )
    const range = listedRowsQuery(name, "r.item_id >= $1::bigint AND r.item_id < $2::bigint")
    for (let from = 0; from <= Number(last?.item ?? 0n); from += rowsPerPage) {
      yield* each(yield* select<ListedRow>(range, `${from}`, `${from + rowsPerPage}`))
    }
  })

/** Returns the keys of the rows of some items in the lists of a part, by item. */
export const keysOfItems = (
  { select }: AuditSnapshot,
  { keysOf, name }: PostingPart,
  items: Iterable<bigint>
): AuditStep<ReadonlyMap<number, ReadonlyArray<RowKeys>>> =>
  Effect.map(
    select<ListedRow>(
      listedRowsQuery(name, "r.item_id = ANY($1::bigint[])"),
      bigintArray([...new Set(items)])
    ),
    (rows) => new Map(rows.map((row) => [row.itemId, keysOf(row)]))
  )

interface Entry {
  readonly key: string
  readonly item: number | bigint
}

/** Reports the entries that do not exist. */
const reportMissing = (
  snapshot: AuditSnapshot,
  check: AuditCheck,
  { list }: PostingPart,
  entries: ReadonlyArray<Entry>
): AuditStep =>
  reportViolations(
    snapshot,
    check,
    `
SELECT 'posting ' || encode(entry.key, 'hex') || ', ${list.table} item ' || entry.item AS place, 'no entry' AS found, 'one' AS expected
FROM unnest($1::bytea[], $2::bigint[]) AS entry (key, item)
WHERE NOT EXISTS (
  SELECT FROM (SELECT items FROM posting AS list WHERE list.key = entry.key AND first_item <= entry.item ORDER BY first_item DESC LIMIT 1) AS own WHERE entry.item = ANY(own.items)
)`,
    bytesArray(entries.map(({ key }) => key)),
    bigintArray(entries.map(({ item }) => item))
  )

/** Searches for missing entries of rows under their keys of a single filter. */
export const searchSingle = (snapshot: AuditSnapshot, part: PostingPart): AuditStep =>
  eachPage(snapshot, part.name, (page) =>
    reportMissing(
      snapshot,
      "postings",
      part,
      page.flatMap((row) =>
        part.keysOf(row).map(({ single }) => ({ key: single, item: row.itemId }))
      )
    ))

/** The items of a row of `posting` that the lists of combined filters hold. */
interface IndexedItems {
  readonly key: string
  readonly first_item: bigint
  readonly items: ReadonlyArray<bigint>
}

/** Searches for missing entries of indexed items under one combination of filters. */
export const searchCombined = (
  snapshot: AuditSnapshot,
  part: PostingPart,
  combination: number
): AuditStep =>
  Effect.gen(function*() {
    let [key, item] = [part.prefix, -1n]
    for (;;) {
      const page: ReadonlyArray<IndexedItems> = yield* snapshot
        .rows<IndexedItems>(indexedOf(part), `\\x${key}`, `${item}`)
      const last = page.at(-1)
      if (last === undefined) return
      const keys = yield* keysOfItems(snapshot, part, page.flatMap((row) => row.items))
      const entries = page.flatMap((row) =>
        row.items.flatMap((item) =>
          (keys.get(Number(item)) ?? []).flatMap(({ combined, single }) =>
            single === row.key ? [{ key: combined[combination]!, item }] : []
          )
        )
      )
      yield* reportMissing(snapshot, "postings-below", part, entries)
      ;[key, item] = [last.key, last.first_item]
    }
  })
