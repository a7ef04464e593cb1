import {
  combinations,
  countByBucket,
  type PostingIndexKey,
  type PostingList,
  postingLists,
  rowItems,
  slotKey,
  wonSlotSource
} from "../postings/mod.ts"
import type { AuditStatement } from "./_audit_snapshot.ts"

/* The entries of `posting` and `open_item` are compared with those that the tables of rows imply. */

const lettersIn = (letters: string): string =>
  `'\\x${Buffer.from(letters, "latin1").toString("hex")}'::bytea`

/** Returns SQL for what combined filters add to a key of a row `r`. */
const suffixesOf = (
  { indexKeys }: PostingList,
  { combinableFilters }: PostingIndexKey
): ReadonlyArray<string> =>
  combinations(combinableFilters).map((names) =>
    names.map((name) => `${lettersIn(indexKeys[name]!.letter)} || ${indexKeys[name]!.values[0]!}`)
      .join(" || ")
  )

/** Returns SQL for the keys of a row `r` without combined filters, and what these add to each. */
const keysOf = (list: PostingList) => [
  { key: lettersIn(`${list.letter}*`), suffixes: [] },
  ...Object.values(list.indexKeys).flatMap((indexKey) =>
    indexKey.values.map((value) => ({
      key: `${lettersIn(list.letter + indexKey.letter)} || ${value}`,
      suffixes: suffixesOf(list, indexKey)
    }))
  )
]

const valuesOf = (keys: ReadonlyArray<string>): string =>
  `(VALUES ${keys.map((key) => `(${key})`).join(", ")})`

/**
 * Returns queries of the entries of a list: those of single filters, then those of combined filters,
 * which the list of the first filter counts as filed.
 */
export const postedEntries = (list: PostingList): ReadonlyArray<string> => [
  `SELECT keys.key, r.item_id AS item FROM ${list.table} AS r CROSS JOIN LATERAL ${
    valuesOf(keysOf(list).map(({ key }) => key))
  } AS keys (key) WHERE keys.key IS NOT NULL`,
  ...Object.values(list.indexKeys).filter(({ combinableFilters }) => combinableFilters.length > 0)
    .map((indexKey) =>
      `SELECT posting.key || suffixes.key, r.item_id FROM posting CROSS JOIN LATERAL unnest(items[:filed]) AS entry (item)
JOIN ${list.table} AS r ON r.item_id = entry.item CROSS JOIN LATERAL ${
        valuesOf(suffixesOf(list, indexKey))
      } AS suffixes (key)
WHERE substring(posting.key FROM 1 FOR 2) = ${
        lettersIn(list.letter + indexKey.letter)
      } AND octet_length(posting.key) = ${2 + indexKey.octets}`
    )
]

/** A query of the entries of the exits that can be withdrawn. */
export const openExitSource =
  `SELECT keys.key, r.item_id AS item FROM exit AS r CROSS JOIN LATERAL ${
    valuesOf(
      keysOf({ ...postingLists.exits, letter: "O" }).flatMap(({ key, suffixes }) => [
        key,
        ...suffixes.map((suffix) => `${key} || ${suffix}`)
      ])
    )
  } AS keys (key) WHERE r.instant_withdrawn IS NULL AND r.delayed_withdrawn IS NULL`

/** Exits that can be withdrawn, slots by the bidder of their best bid, and those that are won. */
const openEntries: ReadonlyArray<string> = [
  openExitSource,
  `SELECT ${
    slotKey("best.bidder_addr")
  }, slot_num FROM (SELECT DISTINCT ON (slot_num) slot_num, bidder_addr FROM bid ORDER BY slot_num, item_id DESC) AS best`,
  `SELECT won.key, won.item FROM (${
    wonSlotSource("SELECT DISTINCT slot_num FROM bid", true)
  }) AS won`
]

/** SQL for the number of items under a key and the sum of their digests: what is compared. */
const itemDigest =
  "count(*) || ' items with the digest ' || sum(('x' || left(md5(item::text), 15))::bit(60)::bigint)"

/** Compares the items under each key of a table with those of some queries. */
const entriesStatement = (
  table: string,
  stored: string,
  expected: ReadonlyArray<string>
): string => `
SELECT '${table} ' || encode(key, 'hex') AS place, coalesce(stored.items, 'no items') AS found, coalesce(implied.items, 'no items') AS expected
FROM (SELECT key, ${itemDigest} AS items FROM (${stored}) AS entry GROUP BY key) AS stored
FULL JOIN (SELECT key, ${itemDigest} AS items FROM (
${expected.join("\nUNION ALL ")}
) AS entry GROUP BY key) AS implied USING (key) WHERE stored.items IS DISTINCT FROM implied.items`

/** Rows of `posting` that do not have the structure that `postings.ts` describes. */
const rowStatement = `
SELECT 'posting ' || encode(key, 'hex') || ', first item ' || first_item || wrong.place AS place, wrong.found, wrong.expected FROM (
  SELECT *, lag(first_ordinal + cardinality(items)) OVER list AS ordinal, lag(items[cardinality(items)]) OVER list AS item_before,
    lag(cardinality(items)) OVER list AS size_before, lag(filed) OVER list AS filed_before, lead(first_item) OVER list IS NULL AS is_end
  FROM posting WINDOW list AS (PARTITION BY key ORDER BY first_item)
) AS row CROSS JOIN LATERAL (VALUES
  (', first_ordinal', first_ordinal::text, coalesce(ordinal, 0)::text, first_ordinal <> coalesce(ordinal, 0)),
  (', is_last', is_last::text, is_end::text, is_last <> is_end),
  (', filed', filed::text, '0, since the row before has only ' || filed_before, filed > 0 AND filed_before <> size_before),
  ('', 'after a row of ' || size_before, 'after one of ${rowItems}', size_before <> ${rowItems}),
  ('', 'item ' || first_item, 'above ' || item_before || ', the last item of the row before', first_item <= item_before),
  ('', 'items ' || items::text, 'ascending items', EXISTS (SELECT FROM unnest(items) WITH ORDINALITY AS each (item, place) WHERE item <= items[place - 1]))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`

/** The checks of the posting lists, of the lists of open items, and of their counts. */
export const entryStatements: ReadonlyArray<AuditStatement> = [
  { check: "posting-rows", counted: "posting", text: rowStatement },
  {
    check: "postings",
    text: entriesStatement(
      "posting",
      "SELECT key, unnest(items) AS item FROM posting",
      Object.values<PostingList>(postingLists).flatMap(postedEntries)
    )
  },
  {
    check: "open-items",
    counted: "open_item",
    text: entriesStatement("open_item", "SELECT key, item FROM open_item", openEntries)
  },
  {
    check: "open-counts",
    counted: "open_count",
    text: `
SELECT 'open_count ' || encode(key, 'hex') || ', level ' || level || ', bucket ' || bucket AS place, coalesce(counted.items::text, 'no row') AS found, coalesce(there.items::text, 'no row') AS expected
FROM (
  ${countByBucket("open_item")}
) AS there FULL JOIN open_count AS counted USING (key, level, bucket) WHERE there.items IS DISTINCT FROM counted.items`
  }
]
