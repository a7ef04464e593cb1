import {
  type AuctionClock,
  auctionClock,
  type AuctionVariables,
  type SlotView,
  slotView
} from "../../../core/domain/mod.ts"
import { type SlotRange, synchedBlockNum } from "../../../core/ports/mod.ts"
import { type AnswerRows, firstColumn, type RowValues, type SqlAnswer } from "../connection/mod.ts"
import {
  computed,
  decodeParameterSet,
  inferredShape,
  plainText,
  type ShapeRow,
  uint64
} from "../entities/mod.ts"
import { applicableBlock } from "../postings/mod.ts"
import { bidView, registrationOf } from "./_auction_plans.ts"

/*
 * A slot has no row. Which slots are open or closed follows from the last block and the auction
 * variables, by the rules of the domain. A statement therefore takes slot numbers as parameters and
 * returns the variables as the last member of its head. If these lead to other slot numbers, the
 * reader runs the statement again with them. The rows are the best bid of each slot, and the variables with the
 * default bids of these slots.
 */

/** A bid, and the block of the auction variables whose default bids apply to its slot. */
const bestBid = inferredShape({
  bestBid: bidView,
  applicableBlock: computed("applicable.ethereum_block_num", uint64)
})
/** The columns of `bestBid` have these names in `best`. */
const bestColumns = bestBid.select("").map(({ sql, type }, i) => ({ sql, type, name: `best_${i}` }))

/**
 * Returns a common table expression `best` of the best bid of each slot; `slots` is a query of
 * `slot_num`.
 */
export const bestBids = (slots: string): string =>
  `best AS MATERIALIZED (
  SELECT slot.slot_num, applicable.ethereum_block_num, ${
    bestColumns.map(({ name, sql }) => `${sql} AS ${name}`).join(", ")
  }
  FROM (${slots}) AS slot
  CROSS JOIN LATERAL (SELECT * FROM bid WHERE bid.slot_num = slot.slot_num ORDER BY bid.item_id DESC LIMIT 1) AS r
  CROSS JOIN LATERAL ${registrationOf("r.bidder_addr", "c")}
  CROSS JOIN LATERAL (
    SELECT ${applicableBlock("slot.slot_num")} AS ethereum_block_num
  ) AS applicable
)`

/** The best bids of the slots from $1 to $2, which are the `rangeParameters`. */
export const bestBidsInRange = bestBids(
  "SELECT each.slot_num FROM generate_series($1::bigint, $2::bigint) AS each (slot_num)"
)
export const rangeParameters = ({ end, first }: SlotRange): ReadonlyArray<string> =>
  [first, end - 1].map(String)

/** The variables of a block, with the default bids of slots. */
const applicableSet = inferredShape({
  block: ["ethereum_block_num", uint64],
  variables: ["variables", plainText]
})

/**
 * Returns the rows that `readSlots` decodes: one for each bid, at the place of its slot number, and
 * one for each set of variables, at `setPlace`.
 */
export const slotRows = (setPlace: string): ReadonlyArray<AnswerRows> => [
  {
    columns: bestColumns.map(({ name, type }) => ({ sql: `best.${name}`, type })),
    sources: [{ place: "best.slot_num", from: "best" }]
  },
  {
    columns: applicableSet.select("parameter_set"),
    sources: [{
      place: setPlace,
      from: `(SELECT DISTINCT best.ethereum_block_num FROM best) AS used
CROSS JOIN LATERAL (SELECT * FROM parameter_set WHERE parameter_set.kind = 'auction' AND parameter_set.ethereum_block_num = used.ethereum_block_num LIMIT 1) AS parameter_set`
    }]
  }
]
const setColumn = firstColumn + bestBid.columns.length

/** Decoded variables by their text: there are few, and nearly every page uses them. */
const decodedSets = new Map<string, AuctionVariables>()
const decodedSetsMax = 64

const decodeVariables = (text: string): AuctionVariables => {
  let variables = decodedSets.get(text)
  if (variables === undefined) {
    if (decodedSets.size >= decodedSetsMax) decodedSets.clear()
    decodedSets.set(text, variables = decodeParameterSet("auction", text))
  }
  return variables
}

/**
 * Returns the slots that have a bid in an answer, in the order of its rows, and a function that
 * makes the view of any slot.
 */
export const readSlots = (clock: AuctionClock, rows: ReadonlyArray<RowValues>) => {
  const sets = new Map<bigint, AuctionVariables>()
  const bids = new Map<number, ShapeRow<typeof bestBid>>()
  for (const values of rows) {
    if (values[firstColumn] !== null) {
      const bid = bestBid.read(values, firstColumn)
      bids.set(bid.bestBid.bid.slotNum, bid)
    } else {
      const { block, variables } = applicableSet.read(values, setColumn)
      sets.set(block, decodeVariables(variables))
    }
  }
  return {
    slotNums: [...bids.keys()],
    slot: (slotNum: number): SlotView => {
      const bid = bids.get(slotNum)
      return slotView(
        clock,
        slotNum,
        bid === undefined
          ? null
          : { bestBid: bid.bestBid, applicable: sets.get(bid.applicableBlock)! }
      )
    }
  }
}

/** Returns the auction clock of the snapshot of an answer, from the variables in its head. */
export const clockOf = (
  constants: AuctionClock["constants"],
  { head, snapshotId }: SqlAnswer
): AuctionClock =>
  auctionClock(constants, decodeVariables(head.at(-1) as string), synchedBlockNum(snapshotId))
