import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray, lastPlace } from "../connection/mod.ts"
import { filedValues } from "./posting_entries.ts"
import { type PostingListName, postingLists } from "./posting_lists.ts"

/*
 * Between a rollback and the cut of its lists. Each transaction that goes is in nine lists, and in a large ledger most of these are of
 * few: to find and write so many rows takes twice as long as everything else that a rollback does. So a rollback leaves the lists as they
 * are. What they are to be cut by it puts into `removed_rows`, and says in the row of the ledger that they are not cut. The writer cuts
 * them right after the commit; where it does not come to that, the next write begins with it, whoever makes it (`_write_transaction.ts`).
 *
 * Nothing is filed before they are cut. So all items of a table from the first removed one on are gone, and a reader has to know no more
 * than that one: its lists end there. To ask for it costs a page a twentieth of its time, so a page is asked for as if nothing was
 * left, and once more where the ledger says otherwise (`_list.ts`). Both say what is there, by one snapshot.
 */

/** SQL for common table expressions that remove rows `r` from the table of a list and note what they were filed under, `2 ** noteBits` of them to a note. */
export const removing = (name: PostingListName, condition: string, noteBits = 12): string => {
  const { table } = postingLists[name]
  return `${name}_gone AS (
  DELETE FROM ${table} AS r WHERE ${condition} RETURNING r.item_id AS item, ${
    filedValues(name)
  } AS filed
), ${name}_noted AS (
  INSERT INTO removed_rows (table_name, first_item, filed)
  SELECT '${table}', min(item), array_agg(filed ORDER BY item)
  FROM ${name}_gone GROUP BY (item - (SELECT min(item) FROM ${name}_gone)) >> ${noteBits}
)`
}

/** SQL for the item that the lists of a table's rows end before. */
export const endOfLists = (table: string): string =>
  `(SELECT coalesce(min(removed_rows.first_item), ${lastPlace}) FROM removed_rows WHERE removed_rows.table_name = '${table}')`

/** Rows of a table that are removed and still listed. */
export interface RemovedRows {
  readonly name: PostingListName
  readonly firstItem: bigint
  /** What they were filed under, ascending by item: the digits of the values that `filedValues` names, one row after the other. */
  readonly values: ReadonlyArray<string>
}

interface Note {
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
const forgetStatement = `
DELETE FROM removed_rows USING unnest($1::text[], $2::bigint[]) AS done (table_name, first_item)
WHERE removed_rows.table_name = done.table_name AND removed_rows.first_item = done.first_item`

/** Of each table the last note: what the others tell of lies before it. */
export const lastRemoved = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<RemovedRows>, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<Note>(lastStatement),
    (notes) =>
      notes.map(({ digits, first_item, table_name }) => ({
        name: names.get(table_name)!,
        firstItem: first_item,
        values: digits.split(",")
      }))
  )

/** Drops the notes of what the lists have been cut by. */
export const forgetRemoved = (
  sql: SqlClient.SqlClient,
  removed: ReadonlyArray<RemovedRows>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(
    sql.unsafe(forgetStatement, [
      `{${removed.map(({ name }) => postingLists[name].table).join(",")}}`,
      bigintArray(removed.map(({ firstItem }) => firstItem))
    ])
  )
