import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { combinations } from "../../adapters/sql/postings/posting_entries.ts"
import {
  type PostingIndexKey,
  type PostingList,
  postingLists
} from "../../adapters/sql/postings/posting_lists.ts"

const lists = Object.values(postingLists)
const digits = (letters: string): string => Buffer.from(letters, "latin1").toString("hex")

/**
 * Writes all rows of the tables into empty posting lists, by their definition: 64 items in a row,
 * full rows also in the combined lists.
 */
export const fileRows = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    for (const list of lists) {
      yield* sql.unsafe(insertPostings(entriesOf(list)))
      for (const [filter, { combinableFilters }] of Object.entries(list.indexKeys)) {
        if (combinableFilters.length > 0) {
          yield* sql.unsafe(insertPostings(entriesBelow(list, filter)))
        }
      }
    }
  })

const bytesOf = (letters: string): string => `'\\x${digits(letters)}'::bytea`

/** Returns SQL for the keys of a row `r`: that of all rows, and one for each value of each index key. */
const keysOfRow = ({ indexKeys, letter }: PostingList): ReadonlyArray<string> => [
  bytesOf(`${letter}*`),
  ...Object.values(indexKeys).flatMap((indexKey) =>
    indexKey.values.map((value) => `${bytesOf(letter + indexKey.letter)} || ${value}`)
  )
]

/** Returns SQL for the keys of a row `r` that begin with `key`, its key in the index key of `filter`. */
const combinedKeys = (list: PostingList, filter: string, key: string): ReadonlyArray<string> =>
  combinations(list.indexKeys[filter]!.combinableFilters).map((names) =>
    [
      key,
      ...names.map((name) =>
        `${bytesOf(list.indexKeys[name]!.letter)} || ${list.indexKeys[name]!.values[0]}`
      )
    ].join(" || ")
  )

/** SQL for key and item of the exits that can be withdrawn. */
export const openExitSource = `
SELECT each.key, r.item_id AS item FROM exit AS r CROSS JOIN LATERAL (VALUES ${
  [
    ...keysOfRow({ ...postingLists.exits, letter: "O" }),
    ...combinedKeys(postingLists.exits, "address", `${bytesOf("Oa")} || r.address`),
    ...combinedKeys(postingLists.exits, "publicKey", `${bytesOf("Ok")} || r.public_key`)
  ].map((key) => `(${key})`).join(", ")
}) AS each (key)
WHERE r.instant_withdrawn IS NULL AND r.delayed_withdrawn IS NULL`

const valuesOf = (keys: ReadonlyArray<string>): string => keys.map((key) => `(${key})`).join(", ")

const entriesOf = (list: PostingList): string => `
SELECT each.key, r.item_id AS item FROM ${list.table} AS r CROSS JOIN LATERAL (VALUES ${
  valuesOf(keysOfRow(list))
}) AS each (key)
WHERE each.key IS NOT NULL`

/** The number of bytes of an index key's values, by its letter; those of a transaction have a side. */
const valueBytes: { readonly [letter: string]: number } = {
  a: 20,
  b: 20,
  f: 20,
  i: 8,
  k: 32,
  s: 8,
  t: 8,
  y: 2
}

/**
 * Returns an SQL condition. In a combined key another letter follows the value of the index key; a key
 * of a single filter ends with the value.
 */
const isOfIndexKey = (key: string, list: PostingList, { letter }: PostingIndexKey): string =>
  `(substring(${key} FROM 1 FOR 2) = '\\x${
    digits(list.letter + letter)
  }' AND octet_length(${key}) = ${
    2 + valueBytes[letter]! + (list.letter === "T" && "iak".includes(letter) ? 1 : 0)
  })`

const entriesBelow = (list: PostingList, filter: string): string => `
SELECT each.key, r.item_id AS item
FROM posting AS above CROSS JOIN LATERAL unnest(above.items[1:above.filed]) AS listed (item) JOIN ${list.table} AS r ON r.item_id = listed.item
CROSS JOIN LATERAL (VALUES ${valuesOf(combinedKeys(list, filter, "above.key"))}) AS each (key)
WHERE ${isOfIndexKey("above.key", list, list.indexKeys[filter]!)}`

/** Sorted by key and item, without duplicates: an item that has a value twice is listed once. */
const insertPostings = (source: string): string => `
INSERT INTO posting (key, first_item, first_ordinal, items, filed, is_last)
SELECT key, items[place], place - 1, items[place:place + 63], CASE WHEN place + 63 <= cardinality(items) THEN 64 ELSE 0 END, place + 63 >= cardinality(items)
FROM (SELECT key, array_agg(DISTINCT item ORDER BY item) AS items FROM (${source}) AS source GROUP BY key) AS list
CROSS JOIN LATERAL generate_series(1, cardinality(items), 64) AS place`
