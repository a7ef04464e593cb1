import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray } from "../connection/mod.ts"
import { closeStatement, openStatement, slotKey, slotKeys, wonSlotSource } from "../postings/mod.ts"

/* The lists of slots by their best bidder, and of those that are won. */

const bestBidders = `unnest($1::bigint[]) AS asked (slot_num)
CROSS JOIN LATERAL (SELECT bidder_addr FROM bid WHERE bid.slot_num = asked.slot_num ORDER BY item_id DESC LIMIT 1) AS best`
const close = closeStatement(
  `SELECT keys.key, asked.slot_num AS item FROM ${bestBidders} CROSS JOIN LATERAL (${
    slotKeys("best.bidder_addr")
  }) AS keys`
)
const open = openStatement(
  `SELECT ${slotKey("best.bidder_addr")} AS key, asked.slot_num AS item FROM ${bestBidders}`
)

const changedSlots =
  "SELECT slot_num FROM unnest($1::bigint[]) AS asked (slot_num) UNION SELECT slot_num FROM bid WHERE slot_num >= $2::bigint"
const closeLost = closeStatement(wonSlotSource(changedSlots, false))
const openWon = openStatement(wonSlotSource(changedSlots, true))

/** Removes slots from the lists of their best bidders, before these change. */
export const closeSlots = (
  sql: SqlClient.SqlClient,
  slots: ReadonlyArray<number | bigint>
): Effect.Effect<unknown, SqlError.SqlError> =>
  slots.length === 0 ? Effect.void : sql.unsafe(close, [bigintArray(slots)])

/**
 * Adds closed slots to the lists of their best bidders, and updates the lists of won slots for them
 * and for all slots with a bid from `firstSlot` on, whose default bids have changed; null if none
 * have.
 */
export const openSlots = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { firstSlot, slots }: {
    readonly slots: ReadonlyArray<number | bigint>
    readonly firstSlot: number | bigint | null
  }
): Effect.fn.Return<void, SqlError.SqlError> {
  if (slots.length === 0 && firstSlot === null) return
  const parameters = [bigintArray(slots), firstSlot === null ? null : `${firstSlot}`]
  yield* sql.unsafe(open, parameters.slice(0, 1))
  yield* sql.unsafe(closeLost, parameters)
  yield* sql.unsafe(openWon, parameters)
})
