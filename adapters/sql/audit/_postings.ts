import { Effect } from "effect"
import type { AuditCheck } from "../../../core/use_cases/mod.ts"
import { combinations, type RowKeys, rowItems } from "../postings/mod.ts"
import { type AuditSnapshot, type AuditStep, reportViolations } from "./_audit_snapshot.ts"
import { eachPage, keysOfItems, searchCombined, searchSingle } from "./_missing_postings.ts"
import { bytea, endOf, listNames, pageOf, parts, type PostingPart } from "./_posting_parts.ts"

/*
 * An audit reads the lists once, in the order of their keys. It checks that each item is that of a
 * row with the key, and that the rows of `posting` have the structure that `postings.ts` describes.
 * A list contains an item once, since items ascend. So if a part has as many entries as the rows of
 * the table imply, none is missing. Only if the numbers differ, the audit searches for the missing
 * entries.
 */

interface PostingRow {
  readonly key: string
  readonly first_item: bigint
  readonly first_ordinal: bigint
  readonly filed: number
  readonly is_last: boolean
  readonly items: ReadonlyArray<bigint>
}

/** A row of `posting`, and the items that do not belong in it. */
interface CheckedRow extends PostingRow {
  readonly lastItem: bigint | undefined
  /** Items that do not ascend. */
  readonly descending: ReadonlyArray<bigint>
  /** Items without a row that has the key. */
  readonly strange: ReadonlyArray<bigint>
  /** For a key of several filters: items that the list above does not count as indexed. */
  readonly unfiled: ReadonlyArray<bigint>
}

/** The last row with indexed items of a list of a single filter. */
type LastIndexed = Pick<PostingRow, "key" | "filed" | "items">

/** Counts of the lists of a part. */
interface Tally {
  /** Number of items by the length of their keys in bytes. */
  readonly items: Map<number, number>
  /** Number of items that the lists for combined filters contain too. */
  filed: number
}

/** Checks that each row of a table is in its posting lists and that these have no other items. */
export const auditPostings = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const expected = yield* expectedEntries(snapshot)
    const total = [...expected.values()].reduce((sum, entries) => sum + entries, 0)
    let done = 0
    for (const part of parts) {
      const entries = expected.get(part) ?? 0
      const tally = yield* auditPart(snapshot, part, (items) =>
        snapshot.advance(items, Math.min(1, (done + items) / (total + 1))))
      done += entries
      yield* compareTally(snapshot, part, tally, entries)
    }
    yield* auditUnknownKeys(snapshot)
  })

/** Returns the number of entries that the rows of the tables imply, by part. */
const expectedEntries = (snapshot: AuditSnapshot): AuditStep<ReadonlyMap<PostingPart, number>> =>
  Effect.gen(function*() {
    const expected = new Map<PostingPart, number>()
    for (const name of listNames) {
      const own = parts.filter((part) => part.name === name)
      yield* eachPage(snapshot, name, (page) =>
        Effect.sync(() => {
          for (const part of own) {
            const entries = page.reduce((sum, row) => sum + part.keysOf(row).length, 0)
            expected.set(part, (expected.get(part) ?? 0) + entries)
          }
        }))
    }
    return expected
  })

const auditPart = (
  snapshot: AuditSnapshot,
  part: PostingPart,
  advance: (items: number) => Effect.Effect<void>
): AuditStep<Tally> =>
  Effect.gen(function*() {
    const { findings, rows } = snapshot
    const tally: Tally = { items: new Map(), filed: 0 }
    let before: CheckedRow | undefined
    // the lists of combined filters follow the list above them, since their keys begin with its key
    let indexed: LastIndexed | undefined
    for (;;) {
      const page: ReadonlyArray<PostingRow> = yield* rows<PostingRow>(
        pageOf(part),
        `\\x${before?.key ?? part.prefix}`,
        `${before?.first_item ?? -1n}`
      )
      if (page.length === 0) {
        if (before !== undefined) compareIsLast(before, true, findings)
        return tally
      }
      const keys = yield* keysOfItems(snapshot, part, page.flatMap((row) => row.items))
      let count = 0
      for (const each of page) {
        const size = each.items.length
        const octets = each.key.length / 2
        const isCombined = octets > part.octets
        const row = checkedRow(each, keys, isCombined ? indexed ?? noItems : null)
        if (!isCombined && row.filed > 0) indexed = row
        compareRow(row, before, isCombined, findings)
        tally.items.set(octets, (tally.items.get(octets) ?? 0) + size)
        if (!isCombined) tally.filed += row.filed
        count += size
        findings.checked(isCombined ? "postings-below" : "postings", size)
        before = row
      }
      findings.checked("posting-rows", page.length)
      yield* advance(count)
    }
  })

const noItems: LastIndexed = { key: "-", filed: 0, items: [] }

/**
 * Returns a row with the items that do not belong in it. All items of a list up to the last indexed
 * one are indexed, see `compareRow`; `indexed` is null for a list of a single filter.
 */
const checkedRow = (
  row: PostingRow,
  keys: ReadonlyMap<number, ReadonlyArray<RowKeys>>,
  indexed: LastIndexed | null
): CheckedRow => {
  const isBelow = indexed !== null && row.key.startsWith(indexed.key)
  const lastIndexed = isBelow ? indexed.items[indexed.filed - 1] ?? -1n : -1n
  return {
    ...row,
    lastItem: row.items.at(-1),
    descending: row.items.filter((item, i) => i > 0 && item <= row.items[i - 1]!),
    strange: row.items.filter((item) =>
      !(keys.get(Number(item)) ?? []).some(({ combined, single }) =>
        row.key === single || combined.includes(row.key)
      )
    ),
    unfiled: indexed === null ? [] : row.items.filter((item) => item > lastIndexed)
  }
}

/** Compares whether a row is in the partition of last rows. */
const compareIsLast = (
  row: PostingRow,
  expected: boolean,
  findings: AuditSnapshot["findings"]
): void => void findings.same("posting-rows", `${placeOf(row)}, is_last`, row.is_last, expected)

const placeOf = ({ first_item, key }: PostingRow): string =>
  `posting ${key}, first item ${first_item}`

function compareRow(
  row: CheckedRow,
  before: CheckedRow | undefined,
  isCombined: boolean,
  findings: AuditSnapshot["findings"]
): void {
  const previous = before?.key === row.key ? before : undefined
  if (before !== undefined) compareIsLast(before, previous === undefined, findings)
  const ordinal = previous === undefined
    ? 0n
    : previous.first_ordinal + BigInt(previous.items.length)
  findings.same("posting-rows", `${placeOf(row)}, first_ordinal`, row.first_ordinal, ordinal)
  if (previous !== undefined && previous.items.length !== rowItems) {
    findings.violate(
      "posting-rows",
      placeOf(previous),
      `${previous.items.length} items`,
      `${rowItems}, because it is not the last row`
    )
  }
  if (!isCombined && previous !== undefined && row.filed > 0) {
    findings.same(
      "posting-rows",
      `${placeOf(previous)}, filed`,
      previous.filed,
      previous.items.length
    )
  }
  if (previous !== undefined && previous.lastItem! >= row.first_item) {
    findings.violate(
      "posting-rows",
      placeOf(row),
      `item ${row.first_item}`,
      `more than ${previous.lastItem}, the last item of the previous row`
    )
  }
  if (row.descending.length > 0) {
    findings.violate(
      "posting-rows",
      placeOf(row),
      `items ${row.descending.join(", ")}`,
      "ascending items"
    )
  }
  if (row.strange.length > 0) {
    findings.violate(
      isCombined ? "postings-below" : "postings",
      placeOf(row),
      `items ${row.strange.join(", ")}`,
      "existing rows with the key"
    )
  }
  if (row.unfiled.length > 0) {
    findings.violate(
      "postings-below",
      placeOf(row),
      `items ${row.unfiled.join(", ")}`,
      "items of the list above"
    )
  }
}

/**
 * Compares the counts with the expected numbers; if they differ, searches for the missing entries.
 */
const compareTally = (
  snapshot: AuditSnapshot,
  part: PostingPart,
  { filed, items }: Tally,
  expected: number
): AuditStep =>
  Effect.gen(function*() {
    const { filter, list, octets } = part
    const place = `posting, lists of ${list.table} by ${filter ?? "nothing"}`
    const compare = (
      check: AuditCheck,
      found: number,
      expected: number,
      search: AuditStep
    ): AuditStep =>
      found < expected
        ? search
        : Effect.sync(() =>
          void snapshot.findings.same(check, place, `${found} entries`, `${expected} entries`)
        )
    yield* compare("postings", items.get(octets) ?? 0, expected, searchSingle(snapshot, part))
    if (filter === undefined) return
    const { combinableFilters } = list.facets[filter]!
    for (const [at, names] of combinations(combinableFilters).entries()) {
      const size = names.reduce((sum, name) => sum + 1 + list.facets[name]!.octets, octets)
      yield* compare(
        "postings-below",
        items.get(size) ?? 0,
        filed,
        searchCombined(snapshot, part, at)
      )
    }
  })

/** Reports keys that belong to no part. */
const auditUnknownKeys = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const gaps = [
      ...parts.map(({ prefix }, i) =>
        [i === 0 ? "" : endOf(parts[i - 1]!.prefix), prefix] as const
      ),
      [endOf(parts.at(-1)!.prefix), "f".repeat(200)] as const
    ]
    for (const [from, to] of gaps) {
      yield* reportViolations(
        snapshot,
        "posting-rows",
        `
SELECT 'posting ' || encode(key, 'hex') || ', first item ' || first_item AS place, 'a key of no list' AS found, 'none' AS expected FROM posting WHERE key >= ${
          bytea(from)
        } AND key < ${bytea(to)}`
      )
    }
  })
