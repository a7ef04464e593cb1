import {
  type AuctionClock,
  auctionClock,
  type AuctionVariables,
  type BidView,
  type SlotView,
  slotView
} from "../../../core/domain/mod.ts"
import { fieldsOf, freeTextOf, lineOf, type SqlAnswer } from "../connection/mod.ts"
import { bidRowSql, decodeBid, registrationOf } from "./auction_rows.ts"
import { readParameterSet } from "./parameter_sets.ts"

/*
 * A slot has no row. Where the auctions stand follows from the last block and the variables, by the rules of the domain, so statements
 * about slots take the slots that these give, and their head has the variables with it: where the ledger has moved on so far that other slots
 * are meant, they are asked for again. What a statement adds is the best bid of each slot, and the sets of variables whose default
 * bids apply to these.
 */

/** SQL for the auction variables in force, as text. */
export const currentVariables = (kind: string): string =>
  `(SELECT parameter_set.variables FROM parameter_set WHERE parameter_set.kind = '${kind}' ORDER BY parameter_set.ethereum_block_num DESC LIMIT 1)`

/** The best bid of each slot, where `slots` is a query of `slot_num`. Of the sets that no later one supersedes, later ones begin later. */
export const bestBids = (slots: string): string =>
  `best AS MATERIALIZED (
  SELECT slot.slot_num, bid.line, applicable.ethereum_block_num
  FROM (${slots}) AS slot CROSS JOIN LATERAL (
    SELECT ${bidRowSql} AS line
    FROM (SELECT * FROM bid WHERE bid.slot_num = slot.slot_num ORDER BY bid.item_id DESC LIMIT 1) AS r
    CROSS JOIN LATERAL ${registrationOf("r.bidder_addr", "c")}
  ) AS bid CROSS JOIN LATERAL (
    SELECT coalesce(
      (SELECT parameter_set.ethereum_block_num FROM parameter_set
        WHERE parameter_set.superseded_by IS NULL AND parameter_set.first_slot <= slot.slot_num ORDER BY parameter_set.first_slot DESC LIMIT 1),
      (SELECT min(parameter_set.ethereum_block_num) FROM parameter_set WHERE parameter_set.kind = 'auction')
    ) AS ethereum_block_num
  ) AS applicable
)`

/** Queries of the lines that `readSlots` takes: of each bid, and of each set of variables. Places are at and behind the slots, as the order wants. */
export const slotRows = (setPlace: string): ReadonlyArray<string> => [
  `SELECT best.slot_num, 'b' || ${
    lineOf(["best.slot_num", "best.ethereum_block_num"])
  } || best.line FROM best`,
  `SELECT ${setPlace}, 's' || ${
    lineOf(["parameter_set.ethereum_block_num"], "parameter_set.variables")
  }
FROM (SELECT DISTINCT best.ethereum_block_num FROM best) AS used
CROSS JOIN LATERAL (SELECT * FROM parameter_set WHERE parameter_set.kind = 'auction' AND parameter_set.ethereum_block_num = used.ethereum_block_num LIMIT 1) AS parameter_set`
]

/** Sets of variables by their text: few, and on nearly every page. */
const knownSets = new Map<string, AuctionVariables>()
const knownSetsMax = 64

const setOf = (text: string): AuctionVariables => {
  let variables = knownSets.get(text)
  if (variables === undefined) {
    if (knownSets.size >= knownSetsMax) knownSets.clear()
    knownSets.set(text, variables = readParameterSet("auction", text))
  }
  return variables
}

/** The slots that an answer holds bids for, in the order of its lines, and how any other one is shown. */
export const readSlots = (clock: AuctionClock, lines: ReadonlyArray<string>) => {
  const sets = new Map<string, AuctionVariables>()
  const bids = new Map<number, { readonly bestBid: BidView; readonly block: string }>()
  for (const line of lines) {
    const [first, second] = fieldsOf(line.slice(1))
    if (line.startsWith("s")) sets.set(first!, setOf(freeTextOf(line)))
    else bids.set(Number(first), { bestBid: decodeBid(freeTextOf(line)), block: second! })
  }
  return {
    slotNums: [...bids.keys()],
    slot: (slotNum: number): SlotView => {
      const found = bids.get(slotNum)
      return slotView(
        clock,
        slotNum,
        found === undefined ? null : { bestBid: found.bestBid, applicable: sets.get(found.block)! }
      )
    }
  }
}

/** Where the auctions stood when an answer was computed, whose head has the variables. */
export const clockReader =
  (constants: AuctionClock["constants"]) => ({ headText, stamp }: SqlAnswer): AuctionClock =>
    auctionClock(constants, setOf(headText), stamp.ethereumBlockNum)
