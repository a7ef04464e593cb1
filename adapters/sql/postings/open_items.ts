import { keysOfRow, postingKey } from "./posting_entries.ts"
import { type ListedRows } from "./listed_rows.ts"
import { type PostingList, postingLists } from "./posting_lists.ts"
import { bigintArray, bytesArray, lastPlace } from "../connection/mod.ts"
import type { ItemLists } from "./_page_postings.ts"

/*
 * Lists whose items come and go: exits that can still be withdrawn, slots by the bidder of their
 * best bid, and among them those whose best bid reaches the minimum. `open_item` holds keys and items. `open_count` counts the items of each key in
 * buckets of 512 items (level 1) and of 262,144 items (level 2), so that the rank of an item costs
 * the same at any size: it is the sum of the level 2 buckets before the item, of the level 1
 * buckets before it in its level 2 bucket, and a count of at most 512 index entries. An empty
 * bucket has no row.
 */

/** By level: a bucket holds the items with the same `item >> bits`. */
export const openLevels = [{ level: 1, bits: 9 }, { level: 2, bits: 18 }] as const

/** Exits that can be withdrawn, under the keys of `exits` and all combinations, with `O` first. */
const openExits: PostingList = { ...postingLists.exits, letter: "O" }

/** Returns the key of the open exits with these values of filters of `exits`, as `postingKey`. */
export const openExitKey = (
  ...path: ReadonlyArray<readonly [filter: string, value: Uint8Array]>
): Uint8Array => postingKey(openExits, ...path)

/**
 * Returns the key of the slots, by number, whose best bid is of this bidder: 20 bytes of its
 * address.
 */
export const openSlotKey = (bidder: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from("Sb", "latin1"), bidder])

/** A table expression of `key` and `item` for exits, with its parameters. */
export const openExitEntries = {
  source: "SELECT key, item FROM unnest($1::bytea[], $2::bigint[]) AS entry (key, item)",
  parameters: (exits: ReadonlyArray<ListedRows["exits"]>): Array<string> => {
    const entries = exits.flatMap((exit) =>
      keysOfRow(openExits, exit).map((key) => [key, exit.itemId] as const)
    )
    return [bytesArray(entries.map(([key]) => key)), bigintArray(entries.map(([, item]) => item))]
  }
}

/** Returns SQL for the key of the slots of a bidder. */
export const slotKey = (bidder: string): string => `'\\x5362'::bytea || ${bidder}`

/** Returns the key of the slots with a best bid of this bidder that reaches the minimum. */
export const wonSlotKey = (bidder: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from("Sw", "latin1"), bidder])

const wonKey = (bidder: string): string => `'\\x5377'::bytea || ${bidder}`

/** Returns SQL for both keys of the slots of a bidder, as a query of `key`. */
export const slotKeys = (bidder: string): string =>
  `SELECT ${slotKey(bidder)} AS key UNION ALL SELECT ${wonKey(bidder)}`

/**
 * Returns SQL for the block of the auction variables whose default bids apply to a slot: the newest
 * ones that apply from this slot or an earlier one on. First slots ascend in the order of blocks.
 */
export const applicableBlock = (slot: string): string =>
  `(SELECT parameter_set.ethereum_block_num FROM parameter_set
      WHERE parameter_set.first_slot <= ${slot} ORDER BY parameter_set.first_slot DESC, parameter_set.ethereum_block_num DESC LIMIT 1)`

/**
 * Returns SQL for key and item of the slots of a query of `slot_num`: the key of won slots of the
 * bidder with the best bid, for slots whose best bid reaches the minimum, or does not.
 */
export const wonSlotSource = (slots: string, isReached: boolean): string => `
SELECT ${wonKey("best.bidder_addr")} AS key, slot.slot_num AS item FROM (${slots}) AS slot
CROSS JOIN LATERAL (SELECT bid.bidder_addr, bid.bid_value FROM bid WHERE bid.slot_num = slot.slot_num ORDER BY bid.item_id DESC LIMIT 1) AS best
CROSS JOIN LATERAL (SELECT ${applicableBlock("slot.slot_num")} AS block) AS applicable
WHERE ${
  isReached ? "" : "NOT "
}(best.bid_value >= (SELECT parameter_set.default_bids[1 + mod(slot.slot_num, 6)] FROM parameter_set
  WHERE parameter_set.kind = 'auction' AND parameter_set.ethereum_block_num = applicable.block))`

const levels = `CROSS JOIN (VALUES ${
  openLevels.map(({ level, bits }) => `(${level}, ${bits})`).join(", ")
}) AS levels (level, bits)`
/** Returns a query that counts entries of `key` and `item` in the buckets of `open_count`. */
export const countByBucket = (entries: string): string =>
  `SELECT key, level, item >> bits AS bucket, count(*) AS items FROM ${entries} ${levels} GROUP BY key, level, item >> bits`

/** Returns a statement that adds the keys and items of a query; it ignores those that exist. */
export const openStatement = (source: string): string => `
WITH added AS (
  INSERT INTO open_item (key, item) SELECT key, item FROM (${source}) AS source ON CONFLICT DO NOTHING RETURNING key, item
)
INSERT INTO open_count (key, level, bucket, items) ${countByBucket("added")}
ON CONFLICT (key, level, bucket) DO UPDATE SET items = open_count.items + excluded.items`

/** Returns a statement that removes the keys and items of a query; it ignores unknown ones. */
export const closeStatement = (source: string): string => `
WITH entry AS MATERIALIZED (${source}), removed AS (
  DELETE FROM open_item USING entry WHERE open_item.key = entry.key AND open_item.item = entry.item RETURNING open_item.key, open_item.item
), lost AS MATERIALIZED (${countByBucket("removed")}), emptied AS (
  DELETE FROM open_count USING lost
  WHERE open_count.key = lost.key AND open_count.level = lost.level AND open_count.bucket = lost.bucket AND open_count.items = lost.items
)
UPDATE open_count SET items = open_count.items - lost.items FROM lost
WHERE open_count.key = lost.key AND open_count.level = lost.level AND open_count.bucket = lost.bucket AND open_count.items > lost.items`

const [fineLevel, coarseLevel] = openLevels

const countOf = (key: string, { level }: typeof openLevels[number], condition: string): string =>
  `coalesce((SELECT sum(open_count.items) FROM open_count WHERE open_count.key = ${key} AND open_count.level = ${level} AND ${condition}), 0)`

const nearest = (key: string, condition: string, order: "ASC" | "DESC", limit = "1"): string =>
  `SELECT open_item.item FROM open_item WHERE open_item.key = ${key} AND open_item.item ${condition} ORDER BY open_item.item ${order} LIMIT ${limit}`

const rank = (key: string, below: string): string => {
  const coarseBucket = `(${below} >> ${coarseLevel.bits})`
  const bucket = `(${below} >> ${fineLevel.bits})`
  return `(${countOf(key, coarseLevel, `open_count.bucket < ${coarseBucket}`)}
  + ${
    countOf(
      key,
      fineLevel,
      `open_count.bucket >= (${coarseBucket} << ${
        coarseLevel.bits - fineLevel.bits
      }) AND open_count.bucket < ${bucket}`
    )
  }
  + (SELECT count(*) FROM open_item WHERE open_item.key = ${key} AND open_item.item >= (${bucket} << ${fineLevel.bits}) AND open_item.item < ${below}))`
}

/**
 * The lists in `open_item` (see `open_items.ts`). A rank sums the coarse buckets before an item,
 * then the fine ones, then single items.
 */
export const openItems: ItemLists = {
  measures: ({ high, limit, low, order, position }) => {
    const key = "listed.key"
    const beside = order === "ASC" ? `>= ${position}` : `< ${position}`
    return {
      columns: [
        `${low === null ? "0" : rank(key, low)} AS under`,
        `${rank(key, position)} AS reached`,
        `${rank(key, high ?? `${lastPlace}::bigint`)} AS above`,
        `(${nearest(key, `>= ${low ?? "0"}`, "ASC")}) AS first`,
        `(${nearest(key, `< ${high ?? lastPlace}`, "DESC")}) AS last`,
        `ARRAY(${nearest(key, beside, order, limit)}) AS items`
      ],
      joins: []
    }
  }
}
