import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { keysBelow, keysOfRow, type PostingList, postingLists } from "../../adapters/sql/_posting_lists.ts"

/** Files all rows of the tables in lists that are empty so far, from their definition: 64 items to a row, full rows also in the lists below. */
export const fileRows = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    for (const list of Object.values(postingLists) as ReadonlyArray<PostingList>) {
      yield* sql.unsafe(insertPostings(entriesOf(list)))
      for (const [filter, { children }] of Object.entries(list.facets)) {
        if (children.length > 0) yield* sql.unsafe(insertPostings(entriesBelow(list, filter)))
      }
    }
  })

const valuesOf = (keys: ReadonlyArray<string>): string => keys.map((key) => `(${key})`).join(", ")
const digits = (letters: string): string => Buffer.from(letters, "latin1").toString("hex")

const entriesOf = (list: PostingList): string => `
SELECT DISTINCT each.key, r.item_id AS item FROM ${list.table} AS r CROSS JOIN LATERAL (VALUES ${valuesOf(keysOfRow(list))}) AS each (key)
WHERE each.key IS NOT NULL`

/** The letter after the first two is that of a list below: a key of a single filter has only the value there. */
const entriesBelow = (list: PostingList, filter: string): string => {
  const { letter, values } = list.facets[filter]!
  return `
SELECT DISTINCT each.key, r.item_id AS item
FROM posting AS above CROSS JOIN LATERAL unnest(above.items) AS listed (item) JOIN ${list.table} AS r ON r.item_id = listed.item
CROSS JOIN LATERAL (VALUES ${valuesOf(keysBelow(list, filter, "above.key"))}) AS each (key)
WHERE cardinality(above.items) = 64 AND substring(above.key FROM 1 FOR 2) = '\\x${digits(list.letter + letter)}'
  AND octet_length(above.key) = 2 + (SELECT max(octet_length(${values[0]})) FROM ${list.table} AS r)`
}

const insertPostings = (source: string): string => `
INSERT INTO posting (key, first_item, first_ordinal, items)
SELECT key, min(item), ordinal, array_agg(item ORDER BY item) FROM (
  SELECT key, item, (row_number() OVER (PARTITION BY key ORDER BY item) - 1) / 64 * 64 AS ordinal FROM (${source}) AS source
) AS placed GROUP BY key, ordinal`
