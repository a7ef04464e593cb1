import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, lastPlace } from "../connection/mod.ts"
import { rowValues } from "./posting_entries.ts"
import { type PostingListName, postingLists } from "./posting_lists.ts"

/*
 * Rows that a rollback has removed, until the posting lists are cut.
 *
 * A transaction is in nine lists, and in a large ledger most lists are short: cutting them takes
 * longer than the rest of a rollback. So a rollback leaves the lists as they are, stores the
 * values of the removed rows in `removed_rows`, and sets `ledger.lists_cut` to false. The writer
 * cuts the lists right after the commit; if it fails, the next write of any process cuts them first
 * (`_write_transaction.ts`).
 *
 * Nothing is appended before the lists are cut. So all items of a table from the first removed one
 * on are gone, and for a reader the lists end there. To save the lookup of that item, a page is
 * first read as if no rows were removed, and again if `lists_cut` in the same snapshot is false.
 */

/**
 * Returns SQL for common table expressions that delete the rows `r` that meet a condition from the
 * table of a list, and store their `rowValues`, in rows of up to `2 ** groupBits` items.
 */
export const removing = (name: PostingListName, condition: string, groupBits = 12): string => {
  const { table } = postingLists[name]
  return `${name}_gone AS (
  DELETE FROM ${table} AS r WHERE ${condition} RETURNING r.item_id AS item, ${
    rowValues(name)
  } AS filed
), ${name}_noted AS (
  INSERT INTO removed_rows (table_name, first_item, filed)
  SELECT '${table}', min(item), array_agg(filed ORDER BY item)
  FROM ${name}_gone GROUP BY (item - (SELECT min(item) FROM ${name}_gone)) >> ${groupBits}
)`
}

/** Returns SQL for the item at which the posting lists of a table end. */
export const endOfLists = (table: string): string =>
  `(SELECT coalesce(min(removed_rows.first_item), ${lastPlace}) FROM removed_rows WHERE removed_rows.table_name = '${table}')`

/** Rows of a table that are removed and still in posting lists. */
export interface RemovedRows {
  readonly name: PostingListName
  readonly firstItem: bigint
  /** Their `rowValues` as hexadecimal digits, one row after the other, ascending by item. */
  readonly values: ReadonlyArray<string>
}

interface StoredRows {
  readonly table_name: string
  readonly first_item: bigint
  readonly digits: string
}

const names = new Map(
  (Object.keys(postingLists) as ReadonlyArray<PostingListName>).map((
    name
  ) => [postingLists[name].table as string, name])
)

const lastStatement = `
SELECT last.table_name, last.first_item,
  (SELECT string_agg(coalesce(encode(each.value, 'hex'), ''), ',' ORDER BY each.place) FROM unnest(last.filed) WITH ORDINALITY AS each (value, place)) AS digits
FROM (SELECT DISTINCT ON (table_name) * FROM removed_rows ORDER BY table_name, first_item DESC) AS last`
const deleteStatement = `
DELETE FROM removed_rows USING unnest($1::text[], $2::bigint[]) AS done (table_name, first_item)
WHERE removed_rows.table_name = done.table_name AND removed_rows.first_item = done.first_item`

/** Returns the last entry of each table: its items follow those of all other entries. */
export const lastRemoved = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<RemovedRows>, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<StoredRows>(lastStatement),
    (rows) =>
      rows.map(({ digits, first_item, table_name }) => ({
        name: names.get(table_name)!,
        firstItem: first_item,
        values: digits.split(",")
      }))
  )

/** Deletes entries, once the posting lists are cut by them. */
export const deleteRemoved = (
  sql: SqlClient.SqlClient,
  removed: ReadonlyArray<RemovedRows>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(
    sql.unsafe(deleteStatement, [
      `{${removed.map(({ name }) => postingLists[name].table).join(",")}}`,
      bigintArray(removed.map(({ firstItem }) => firstItem))
    ])
  )
