import { Effect } from "effect"
import type { AuditCheck } from "../../../core/use_cases/mod.ts"
import { combinations, combinedKeys, keysOfRow, rowItems } from "../postings/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  itemsPerStatement,
  reportViolations
} from "./_audit_snapshot.ts"
import { bytea, endOf, lists, pageOf, parts, type PostingPart } from "./_posting_parts.ts"

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
  readonly size: number
  readonly last_item: bigint
  readonly strange: string | null
  readonly descending: string | null
  readonly unfiled: string | null
}

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
      const tally = yield* auditPart(snapshot, part, pageOf(part), (items) =>
        snapshot.advance(items, Math.min(1, (done + items) / (total + 1))))
      done += entries
      yield* compareTally(snapshot, part, tally, entries)
    }
    yield* auditUnknownKeys(snapshot)
  })

/** Returns the number of entries that the rows of the tables imply, by part. */
const expectedEntries = ({ rows }: AuditSnapshot): AuditStep<ReadonlyMap<PostingPart, number>> =>
  Effect.gen(function*() {
    const expected = new Map<PostingPart, number>()
    for (const list of lists) {
      const own = parts.filter((part) => part.list === list)
      const [last] = yield* rows<{ readonly item: bigint | null }>(
        `SELECT max(item_id) AS item FROM ${list.table}`
      )
      for (let from = 0; from <= Number(last?.item ?? 0n); from += 5 * itemsPerStatement) {
        const [sums] = yield* rows<{ readonly [name: string]: bigint | null }>(
          `SELECT ${
            own.map(({ entries }, i) => `sum(${entries})::bigint AS e${i}`).join(", ")
          } FROM ${list.table} AS r WHERE r.item_id >= $1::bigint AND r.item_id < $2::bigint`,
          `${from}`,
          `${from + 5 * itemsPerStatement}`
        )
        own.forEach((part, i) =>
          void expected.set(part, (expected.get(part) ?? 0) + Number(sums![`e${i}`] ?? 0n))
        )
      }
    }
    return expected
  })

const auditPart = (
  { findings, rows }: AuditSnapshot,
  { octets, prefix }: PostingPart,
  pageStatement: string,
  advance: (items: number) => Effect.Effect<void>
): AuditStep<Tally> =>
  Effect.gen(function*() {
    const tally: Tally = { items: new Map(), filed: 0 }
    let before: PostingRow | undefined
    for (;;) {
      const page: ReadonlyArray<PostingRow> = yield* rows<PostingRow>(
        pageStatement,
        `\\x${before?.key ?? prefix.slice(0, 4)}`,
        `${before?.first_item ?? -1n}`
      )
      if (page.length === 0) {
        if (before !== undefined) compareIsLast(before, true, findings)
        return tally
      }
      let items = 0
      for (const row of page) {
        const isCombined = row.key.length / 2 > octets
        compareRow(row, before, isCombined, findings)
        tally.items.set(row.key.length / 2, (tally.items.get(row.key.length / 2) ?? 0) + row.size)
        if (!isCombined) tally.filed += row.filed
        items += row.size
        findings.checked(isCombined ? "postings-below" : "postings", row.size)
        before = row
      }
      findings.checked("posting-rows", page.length)
      yield* advance(items)
    }
  })

/** Compares whether a row is in the partition of last rows. */
const compareIsLast = (
  row: PostingRow,
  expected: boolean,
  findings: AuditSnapshot["findings"]
): void => void findings.same("posting-rows", `${placeOf(row)}, is_last`, row.is_last, expected)

const placeOf = ({ first_item, key }: PostingRow): string =>
  `posting ${key}, first item ${first_item}`

function compareRow(
  row: PostingRow,
  before: PostingRow | undefined,
  isCombined: boolean,
  findings: AuditSnapshot["findings"]
): void {
  const previous = before?.key === row.key ? before : undefined
  if (before !== undefined) compareIsLast(before, previous === undefined, findings)
  const ordinal = previous === undefined ? 0n : previous.first_ordinal + BigInt(previous.size)
  findings.same("posting-rows", `${placeOf(row)}, first_ordinal`, row.first_ordinal, ordinal)
  if (previous !== undefined && previous.size !== rowItems) {
    findings.violate(
      "posting-rows",
      placeOf(previous),
      `${previous.size} items`,
      `${rowItems}, because it is not the last row`
    )
  }
  if (previous !== undefined && previous.last_item >= row.first_item) {
    findings.violate(
      "posting-rows",
      placeOf(row),
      `item ${row.first_item}`,
      `more than ${previous.last_item}, the last item of the previous row`
    )
  }
  if (row.descending !== null) {
    findings.violate(
      "posting-rows",
      placeOf(row),
      `items ${row.descending}`,
      "ascending items"
    )
  }
  if (row.strange !== null) {
    findings.violate(
      isCombined ? "postings-below" : "postings",
      placeOf(row),
      `items ${row.strange}`,
      "existing rows with the key"
    )
  }
  if (row.unfiled !== null) {
    findings.violate(
      "postings-below",
      placeOf(row),
      `items ${row.unfiled}`,
      "items of the list above"
    )
  }
}

/**
 * Compares the counts with the expected numbers; if they differ, searches for the missing entries.
 */
const compareTally = (
  snapshot: AuditSnapshot,
  { filter, list, octets, prefix }: PostingPart,
  { filed, items }: Tally,
  expected: number
): AuditStep =>
  Effect.gen(function*() {
    const { findings } = snapshot
    const place = `posting, lists of ${list.table} by ${filter ?? "nothing"}`
    const searchMissing = (check: AuditCheck, source: string, found: number, expected: number) =>
      found >= expected
        ? Effect.sync(() =>
          void findings.same(check, place, `${found} entries`, `${expected} entries`)
        )
        : reportViolations(
          snapshot,
          check,
          `
SELECT 'posting ' || encode(entry.key, 'hex') || ', ${list.table} item ' || entry.item AS place, 'no entry' AS found, 'one' AS expected FROM (${source}) AS entry
WHERE entry.key IS NOT NULL AND NOT EXISTS (
  SELECT FROM (SELECT items FROM posting AS list WHERE list.key = entry.key AND first_item <= entry.item ORDER BY first_item DESC LIMIT 1) AS own WHERE entry.item = ANY(own.items)
)`
        )
    const keys = filter === undefined
      ? keysOfRow({ ...list, facets: {} })
      : keysOfRow({ ...list, facets: { [filter]: list.facets[filter]! } }).slice(1)
    yield* searchMissing(
      "postings",
      `SELECT r.item_id AS item, each.key FROM ${list.table} AS r CROSS JOIN LATERAL (VALUES ${
        valuesOf(keys)
      }) AS each (key)`,
      items.get(octets) ?? 0,
      expected
    )
    if (filter === undefined) return
    const { combinableFilters } = list.facets[filter]!
    for (const names of combinations(combinableFilters)) {
      const size = names.reduce(
        (sum, name) => sum + 1 + list.facets[name]!.octets,
        octets
      )
      // the last key combines all of `names`
      const key = combinedKeys(
        {
          ...list,
          facets: {
            ...list.facets,
            [filter]: { ...list.facets[filter]!, combinableFilters: names }
          }
        },
        filter,
        "above.key"
      ).at(-1)!
      yield* searchMissing(
        "postings-below",
        `
SELECT listed.item, ${key} AS key FROM posting AS above CROSS JOIN LATERAL unnest(above.items[1:above.filed]) AS listed (item) JOIN ${list.table} AS r ON r.item_id = listed.item
WHERE above.key >= ${bytea(prefix)} AND above.key < ${
          bytea(endOf(prefix))
        } AND octet_length(above.key) = ${octets}`,
        items.get(size) ?? 0,
        filed
      )
    }
  })

const valuesOf = (keys: ReadonlyArray<string>): string => keys.map((key) => `(${key})`).join(", ")

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
