import {
  keysBelow,
  keysOfRow,
  postingKey,
  type PostingList,
  postingLists
} from "./posting_lists.ts"

/*
 * Lists whose items come and go: the exits that can still be withdrawn, and the slots whose best bid a bidder holds. `open_item` holds
 * key and item. So that the number of items below any item costs the same at any size, `open_count` holds how many there are in
 * stretches of 512 items (level 1) and of 262,144 (level 2): a rank is the sum of the level 2 stretches before, of the level 1
 * stretches before within the last of them, and a count of at most 512 entries of the index. A stretch without items has no row.
 */

/** Bits of an item below its stretch, by level. */
export const openLevels = [{ level: 1, bits: 9 }, { level: 2, bits: 18 }] as const

/** Exits as they are listed while they can be withdrawn: under the keys of their list and all combinations, with another letter. */
const openExits: PostingList = { ...postingLists.exits, letter: "O" }

/** The key of the open exits with these values of filters of `exits`; of all open exits without any. */
export const openExitKey = (
  ...path: ReadonlyArray<readonly [filter: string, value: Uint8Array]>
): Uint8Array => postingKey(openExits, ...path)

/** The key of the slots, by number, whose best bid a bidder holds; `bidder` are the 20 bytes of the address. */
export const openSlotKey = (bidder: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from("Sb", "latin1"), bidder])

const openExitKeys: ReadonlyArray<string> = [
  ...keysOfRow(openExits),
  ...keysBelow(openExits, "address", "'\\x4f61'::bytea || r.address"),
  ...keysBelow(openExits, "publicKey", "'\\x4f6b'::bytea || r.public_key")
]

/** Key and item of the exits that `condition` chooses of `exit AS r`. */
export const openExitSource = (condition: string): string => `
SELECT each.key, r.item_id AS item
FROM exit AS r CROSS JOIN LATERAL (VALUES ${
  openExitKeys.map((key) => `(${key})`).join(", ")
}) AS each (key)
WHERE ${condition}`

/** SQL for the key of the slots of a bidder. */
export const slotKey = (bidder: string): string => `'\\x5362'::bytea || ${bidder}`

const levels = `CROSS JOIN (VALUES ${
  openLevels.map(({ level, bits }) => `(${level}, ${bits})`).join(", ")
}) AS levels (level, bits)`
const perStretch = (entries: string): string =>
  `SELECT key, level, item >> bits AS bucket, count(*) AS items FROM ${entries} ${levels} GROUP BY key, level, item >> bits`

/** Adds what `source` selects, key and item; those that are there already stay. */
export const openStatement = (source: string): string => `
WITH added AS (
  INSERT INTO open_item (key, item) SELECT key, item FROM (${source}) AS source ON CONFLICT DO NOTHING RETURNING key, item
)
INSERT INTO open_count (key, level, bucket, items) ${perStretch("added")}
ON CONFLICT (key, level, bucket) DO UPDATE SET items = open_count.items + excluded.items`

/** Removes what `source` selects, key and item; those that are not there are passed over. */
export const closeStatement = (source: string): string => `
WITH entry AS MATERIALIZED (${source}), removed AS (
  DELETE FROM open_item USING entry WHERE open_item.key = entry.key AND open_item.item = entry.item RETURNING open_item.key, open_item.item
), lost AS MATERIALIZED (${perStretch("removed")}), emptied AS (
  DELETE FROM open_count USING lost
  WHERE open_count.key = lost.key AND open_count.level = lost.level AND open_count.bucket = lost.bucket AND open_count.items = lost.items
)
UPDATE open_count SET items = open_count.items - lost.items FROM lost
WHERE open_count.key = lost.key AND open_count.level = lost.level AND open_count.bucket = lost.bucket AND open_count.items > lost.items`
