import {
  type AuctionClock,
  auctionClock,
  type AuctionVariables,
  type BidView,
  type SlotView,
  slotView
} from "../../../core/domain/mod.ts"
import { synchedBlockNum } from "../../../core/ports/mod.ts"
import { fieldsOf, freeTextOf, lineSql, type SqlAnswer } from "../connection/mod.ts"
import { applicableBlock } from "../postings/mod.ts"
import { bidRowSql, decodeBid, registrationOf } from "./auction_rows.ts"
import { decodeParameterSet } from "./parameter_sets.ts"

/*
 * A slot has no row. Which slots are open or closed follows from the last block and the auction
 * variables, by the rules of the domain. A statement therefore takes slot numbers as parameters and
 * returns the variables in its head. If these lead to other slot numbers, the reader runs the
 * statement again with them. The rows are the best bid of each slot, and the variables with the
 * default bids of these slots.
 */

/** Returns SQL for the newest variables of a kind, as text. */
export const currentVariables = (kind: string): string =>
  `(SELECT parameter_set.variables FROM parameter_set WHERE parameter_set.kind = '${kind}' ORDER BY parameter_set.ethereum_block_num DESC LIMIT 1)`

/**
 * Returns a common table expression `best` of the best bid of each slot; `slots` is a query of
 * `slot_num`.
 */
export const bestBids = (slots: string): string =>
  `best AS MATERIALIZED (
  SELECT slot.slot_num, bid.line, applicable.ethereum_block_num
  FROM (${slots}) AS slot CROSS JOIN LATERAL (
    SELECT ${bidRowSql} AS line
    FROM (SELECT * FROM bid WHERE bid.slot_num = slot.slot_num ORDER BY bid.item_id DESC LIMIT 1) AS r
    CROSS JOIN LATERAL ${registrationOf("r.bidder_addr", "c")}
  ) AS bid CROSS JOIN LATERAL (
    SELECT ${applicableBlock("slot.slot_num")} AS ethereum_block_num
  ) AS applicable
)`

/**
 * Returns queries of the lines that `readSlots` decodes: a line for each bid, at the place of its
 * slot number, and a line for each set of variables, at `setPlace`.
 */
export const slotRows = (setPlace: string): ReadonlyArray<string> => [
  `SELECT best.slot_num, 'b' || ${
    lineSql(["best.slot_num", "best.ethereum_block_num"])
  } || best.line FROM best`,
  `SELECT ${setPlace}, 's' || ${
    lineSql(["parameter_set.ethereum_block_num"], "parameter_set.variables")
  }
FROM (SELECT DISTINCT best.ethereum_block_num FROM best) AS used
CROSS JOIN LATERAL (SELECT * FROM parameter_set WHERE parameter_set.kind = 'auction' AND parameter_set.ethereum_block_num = used.ethereum_block_num LIMIT 1) AS parameter_set`
]

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
 * Returns the slots that have a bid in an answer, in the order of its lines, and a function that
 * makes the view of any slot.
 */
export const readSlots = (clock: AuctionClock, lines: ReadonlyArray<string>) => {
  const sets = new Map<string, AuctionVariables>()
  const bids = new Map<number, { readonly bestBid: BidView; readonly block: string }>()
  for (const line of lines) {
    const [first, second] = fieldsOf(line.slice(1))
    if (line.startsWith("s")) sets.set(first!, decodeVariables(freeTextOf(line)))
    else bids.set(Number(first), { bestBid: decodeBid(freeTextOf(line)), block: second! })
  }
  return {
    slotNums: [...bids.keys()],
    slot: (slotNum: number): SlotView => {
      const bid = bids.get(slotNum)
      return slotView(
        clock,
        slotNum,
        bid === undefined ? null : { bestBid: bid.bestBid, applicable: sets.get(bid.block)! }
      )
    }
  }
}

/** Returns the auction clock of the snapshot of an answer, from the variables in its head. */
export const clockReader =
  (constants: AuctionClock["constants"]) => ({ headText, stamp }: SqlAnswer): AuctionClock =>
    auctionClock(constants, decodeVariables(headText), synchedBlockNum(stamp))
