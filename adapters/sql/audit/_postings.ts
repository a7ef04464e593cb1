import { Effect } from "effect"
import type { AuditCheck } from "../../../core/use_cases/mod.ts"
import {
  combinations,
  keysBelow,
  keysOfRow,
  type PostingFacet,
  type PostingList,
  postingLists,
  rowItems
} from "../postings/mod.ts"
import { type AuditStep, type AuditSnapshot, itemsPerStatement } from "./_audit_snapshot.ts"
import { reportViolations } from "./_report_violations.ts"

/*
 * Lists are read once, in the order of their keys: each item must be that of a row that has the key, and rows must stand as `postings.ts`
 * says. An item is in a list once, since items ascend; so where a facet has as many entries as the rows have values none is missing, and
 * nothing has to be looked for. Only where the numbers differ is it asked which one is missing.
 *
 * Where a rollback has not come to cutting its lists yet (`postings/removed_rows.ts`) they are read as they will be then.
 */

const lists = Object.values(postingLists) as ReadonlyArray<PostingList>
const hex = (letters: string): string => Buffer.from(letters, "latin1").toString("hex")
const bytea = (digits: string): string => `'\\x${digits}'::bytea`

/** Octets that the values of a facet have, by its letter. */
const valueOctets: { readonly [letter: string]: number } = {
  a: 20,
  b: 20,
  f: 20,
  i: 8,
  k: 32,
  s: 8,
  t: 8,
  y: 2
}

/** The lists whose keys begin with the same letters. */
interface Part {
  readonly list: PostingList
  /** Undefined for the list of all rows. */
  readonly filter: string | undefined
  readonly prefix: string
  /** Of a key that has nothing below the facet. */
  readonly octets: number
  /** What rows have of it, as SQL for a number. */
  readonly entries: string
  /** SQL for the keys of a row, those of what lies below included. */
  readonly keys: ReadonlyArray<string>
}

const distinctValues = ({ values: [one, other] }: PostingFacet): string =>
  other === undefined
    ? `(${one} IS NOT NULL)::integer`
    : `(${one} IS NOT NULL)::integer + (${other} IS NOT NULL AND ${other} IS DISTINCT FROM ${one})::integer`

const partOf = (list: PostingList, filter: string | undefined): Part => {
  const facet = filter === undefined ? undefined : list.facets[filter]!
  const prefix = hex(list.letter + (facet?.letter ?? "*"))
  const octets = 2 + (facet === undefined ? 0 : valueOctets[facet.letter]!)
  const single = facet === undefined
    ? [bytea(prefix)]
    : facet.values.map((value) => `${bytea(prefix)} || ${value}`)
  const below = filter === undefined
    ? []
    : single.flatMap((parent) => keysBelow(list, filter, `(${parent})`))
  return {
    list,
    filter,
    prefix,
    octets,
    entries: facet === undefined ? "1" : distinctValues(facet),
    keys: [...single, ...below]
  }
}

const pageRows = 2000
const endOf = (prefix: string): string =>
  `${prefix.slice(0, 2)}${(parseInt(prefix.slice(2), 16) + 1).toString(16).padStart(2, "0")}`

/** SQL for the rows of `posting`, by table: of a table with removed rows without all from the first of them on. */
type Lists = (table: string) => string

const listsOf = (snapshot: AuditSnapshot): AuditStep<Lists> =>
  Effect.gen(function*() {
    const removed = yield* snapshot.rows<
      { readonly table_name: string; readonly first_item: bigint }
    >("SELECT table_name, min(first_item) AS first_item FROM removed_rows GROUP BY table_name")
    const ends = new Map(removed.map(({ first_item, table_name }) => [table_name, first_item]))
    yield* reportViolations(
      snapshot,
      "posting-rows",
      `
SELECT 'ledger, lists_cut' AS place, lists_cut::text AS found, (NOT lists_cut)::text AS expected FROM ledger WHERE lists_cut = EXISTS (SELECT FROM removed_rows)`
    )
    for (const { table } of lists) {
      yield* reportViolations(
        snapshot,
        "posting-rows",
        `
SELECT 'removed_rows of ${table}, first item ' || first_item AS place, 'row ' || last.item || ' is there' AS found, 'no row from it on' AS expected
FROM removed_rows CROSS JOIN (SELECT max(item_id) AS item FROM ${table}) AS last WHERE table_name = '${table}' AND first_item <= last.item`
      )
    }
    return (table) => {
      const end = ends.get(table)
      if (end === undefined) return "posting"
      const kept = `width_bucket(${end - 1n}::bigint, items)`
      return `(SELECT key, first_item, first_ordinal, items[1:${kept}] AS items, least(filed, ${kept})::smallint AS filed FROM posting WHERE first_item < ${end})`
    }
  })

/** A page of rows with what is wrong with their items: those that are not of the key, those that do not ascend, and, below a facet, those that are not filed there. */
const pageOf = ({ keys, list, octets, prefix }: Part, lists: string): string => `
SELECT encode(p.key, 'hex') AS key, p.first_item, p.first_ordinal, p.filed, cardinality(p.items) AS size, p.items[cardinality(p.items)] AS last_item, checked.*
FROM (
  SELECT * FROM ${lists} AS own WHERE (key, first_item) > ($1::bytea, $2::bigint) AND key < ${
  bytea(endOf(prefix))
} ORDER BY key, first_item LIMIT ${pageRows}
) AS p CROSS JOIN LATERAL (
  SELECT string_agg(listed.item::text, ', ') FILTER (WHERE NOT coalesce(p.key = ANY(ARRAY[${
  keys.join(", ")
}]), false)) AS strange,
    string_agg(listed.item::text, ', ') FILTER (WHERE listed.place > 1 AND listed.item <= p.items[(listed.place - 1)::integer]) AS descending,
    string_agg(listed.item::text, ', ') FILTER (WHERE octet_length(p.key) > ${octets} AND NOT EXISTS (
      SELECT FROM (
        SELECT items, filed FROM ${lists} AS above WHERE above.key = substring(p.key FROM 1 FOR ${octets}) AND above.first_item <= listed.item ORDER BY above.first_item DESC LIMIT 1
      ) AS above WHERE listed.item = ANY(above.items[1:above.filed])
    )) AS unfiled
  FROM unnest(p.items) WITH ORDINALITY AS listed (item, place) LEFT JOIN ${list.table} AS r ON r.item_id = listed.item
) AS checked ORDER BY p.key, p.first_item`

const parts: ReadonlyArray<Part> = lists.flatMap((
  list
) => [partOf(list, undefined), ...Object.keys(list.facets).map((filter) => partOf(list, filter))])
  .sort((a, b) => a.prefix < b.prefix ? -1 : 1)

interface PostingRow {
  readonly key: string
  readonly first_item: bigint
  readonly first_ordinal: bigint
  readonly filed: number
  readonly size: number
  readonly last_item: bigint
  readonly strange: string | null
  readonly descending: string | null
  readonly unfiled: string | null
}

/** How many items the lists of a part have, by the octets of their keys, and how many are filed below. */
interface Tally {
  readonly items: Map<number, number>
  filed: number
}

export const auditPostings = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const expected = yield* expectedEntries(snapshot)
    const postings = yield* listsOf(snapshot)
    const total = [...expected.values()].reduce((sum, entries) => sum + entries, 0)
    let done = 0
    for (const part of parts) {
      const entries = expected.get(part) ?? 0
      const own = postings(part.list.table)
      const tally = yield* auditPart(snapshot, part, pageOf(part, own), (items) =>
        snapshot.advance(items, Math.min(1, (done + items) / (total + 1))))
      done += entries
      yield* compareTally(snapshot, part, own, tally, entries)
    }
    yield* auditUnknownKeys(snapshot)
  })

/** How many entries the rows of the tables lead to, by part. */
const expectedEntries = ({ rows }: AuditSnapshot): AuditStep<ReadonlyMap<Part, number>> =>
  Effect.gen(function*() {
    const expected = new Map<Part, number>()
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
  { octets, prefix }: Part,
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
      if (page.length === 0) return tally
      let items = 0
      for (const row of page) {
        const isBelow = row.key.length / 2 > octets
        compareRow(row, before, isBelow, findings)
        tally.items.set(row.key.length / 2, (tally.items.get(row.key.length / 2) ?? 0) + row.size)
        if (!isBelow) tally.filed += row.filed
        items += row.size
        findings.checked(isBelow ? "postings-below" : "postings", row.size)
        before = row
      }
      findings.checked("posting-rows", page.length)
      yield* advance(items)
    }
  })

const placeOf = ({ first_item, key }: PostingRow): string =>
  `posting ${key}, first item ${first_item}`

function compareRow(
  row: PostingRow,
  before: PostingRow | undefined,
  isBelow: boolean,
  findings: AuditSnapshot["findings"]
): void {
  const above = before?.key === row.key ? before : undefined
  const ordinal = above === undefined ? 0n : above.first_ordinal + BigInt(above.size)
  findings.same("posting-rows", `${placeOf(row)}, first_ordinal`, row.first_ordinal, ordinal)
  if (above !== undefined && above.size !== rowItems) {
    findings.violate(
      "posting-rows",
      placeOf(above),
      `${above.size} items`,
      `${rowItems}, since it is not the last row`
    )
  }
  if (above !== undefined && above.last_item >= row.first_item) {
    findings.violate(
      "posting-rows",
      placeOf(row),
      `item ${row.first_item}`,
      `more than ${above.last_item}, the last item of the row before`
    )
  }
  if (row.descending !== null) {
    findings.violate(
      "posting-rows",
      placeOf(row),
      `items ${row.descending}`,
      "each more than the one before it"
    )
  }
  if (row.strange !== null) {
    findings.violate(
      isBelow ? "postings-below" : "postings",
      placeOf(row),
      `items ${row.strange}`,
      "rows that are there and have the key"
    )
  }
  if (row.unfiled !== null) {
    findings.violate(
      "postings-below",
      placeOf(row),
      `items ${row.unfiled}`,
      "items that are filed in the list above"
    )
  }
}

/** Where numbers differ the missing entries are looked for. */
const compareTally = (
  snapshot: AuditSnapshot,
  { filter, list, octets, prefix }: Part,
  postings: string,
  { filed, items }: Tally,
  expected: number
): AuditStep =>
  Effect.gen(function*() {
    const { findings } = snapshot
    const place = `posting, lists of ${list.table} by ${filter ?? "nothing"}`
    const missing = (check: AuditCheck, source: string, found: number, expected: number) =>
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
  SELECT FROM (SELECT items FROM ${postings} AS list WHERE list.key = entry.key AND first_item <= entry.item ORDER BY first_item DESC LIMIT 1) AS own WHERE entry.item = ANY(own.items)
)`
        )
    const whole = filter === undefined
      ? keysOfRow({ ...list, facets: {} })
      : keysOfRow({ ...list, facets: { [filter]: list.facets[filter]! } }).slice(1)
    yield* missing(
      "postings",
      `SELECT r.item_id AS item, each.key FROM ${list.table} AS r CROSS JOIN LATERAL (VALUES ${
        valuesOf(whole)
      }) AS each (key)`,
      items.get(octets) ?? 0,
      expected
    )
    if (filter === undefined) return
    const { children } = list.facets[filter]!
    for (const names of combinations(children)) {
      const size = names.reduce(
        (sum, name) => sum + 1 + valueOctets[list.facets[name]!.letter]!,
        octets
      )
      // keys of these names alone
      const key = keysBelow(
        {
          ...list,
          facets: { ...list.facets, [filter]: { ...list.facets[filter]!, children: names } }
        },
        filter,
        "above.key"
      ).at(-1)!
      yield* missing(
        "postings-below",
        `
SELECT listed.item, ${key} AS key FROM ${postings} AS above CROSS JOIN LATERAL unnest(above.items[1:above.filed]) AS listed (item) JOIN ${list.table} AS r ON r.item_id = listed.item
WHERE above.key >= ${bytea(prefix)} AND above.key < ${
          bytea(endOf(prefix))
        } AND octet_length(above.key) = ${octets}`,
        items.get(size) ?? 0,
        filed
      )
    }
  })

const valuesOf = (keys: ReadonlyArray<string>): string => keys.map((key) => `(${key})`).join(", ")

/** Keys between those of the lists. */
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
