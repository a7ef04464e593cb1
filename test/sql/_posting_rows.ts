import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { postedEntries } from "../../adapters/sql/audit/_entry_statements.ts"
import { type PostingList, postingLists } from "../../adapters/sql/postings/posting_lists.ts"

/**
 * Writes all rows of the tables into empty posting lists, by their definition: 64 items in a row,
 * full rows also in the combined lists.
 */
export const fileRows = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    for (const list of Object.values<PostingList>(postingLists)) {
      for (const source of postedEntries(list)) yield* sql.unsafe(insertPostings(source))
    }
  })

/** Sorted by key and item, without duplicates: an item that has a value twice is listed once. */
const insertPostings = (source: string): string => `
INSERT INTO posting (key, first_item, first_ordinal, items, filed, is_last)
SELECT key, items[place], place - 1, items[place:place + 63], CASE WHEN place + 63 <= cardinality(items) THEN 64 ELSE 0 END, place + 63 >= cardinality(items)
FROM (SELECT key, array_agg(DISTINCT item ORDER BY item) AS items FROM (${source}) AS source (key, item) GROUP BY key) AS list
CROSS JOIN LATERAL generate_series(1, cardinality(items), 64) AS place`
