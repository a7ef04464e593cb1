import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { bigintArray } from "../connection/mod.ts"
import { closeStatement, openStatement, wonSlotSource } from "../postings/mod.ts"

const changedSlots =
  "SELECT slot_num FROM unnest($1::bigint[]) AS asked (slot_num) UNION SELECT slot_num FROM bid WHERE slot_num >= $2::bigint"
const closeLost = closeStatement(wonSlotSource(changedSlots, false))
const openWon = openStatement(wonSlotSource(changedSlots, true))

/**
 * Updates the lists of won slots for the slots with another best bid, and for all slots with a bid
 * from `firstSlot` on, whose default bids have changed; null if none have. Entries under an earlier
 * bidder of a slot must be removed already.
 */
export const updateWonSlots = (
  sql: SqlClient.SqlClient,
  { firstSlot, slots }: {
    readonly slots: ReadonlyArray<number | bigint>
    readonly firstSlot: number | bigint | null
  }
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function*() {
    if (slots.length === 0 && firstSlot === null) return
    const parameters = [bigintArray(slots), firstSlot === null ? null : `${firstSlot}`]
    yield* sql.unsafe(closeLost, parameters)
    yield* sql.unsafe(openWon, parameters)
  })
