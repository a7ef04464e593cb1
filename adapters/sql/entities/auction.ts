import type { Bid, Coordinator, Token } from "../../../core/domain/mod.ts"
import {
  address,
  bigInteger,
  checked,
  double,
  int16,
  integer,
  nullable,
  text,
  uint32,
  uint64,
  uint8
} from "./column_types.ts"
import { type Fields, inferredShape, shape, type ShapeRow } from "./shape.ts"

/* The rows that blocks add without a batch: tokens, coordinators, bids, withdrawals. */

const tokenFields: Fields<Token> = {
  itemId: ["item_id", integer, "UNIQUE"],
  id: ["token_id", uint32, "PRIMARY KEY"],
  ethereumAddress: ["ethereum_address", address],
  name: ["name", text],
  symbol: ["symbol", text],
  decimals: ["decimals", uint8],
  ethereumBlockNum: ["ethereum_block_num", uint64],
  priceUSD: ["price_usd", nullable(checked(double, "% BETWEEN 0 AND 1e12"))],
  priceTimeMs: ["price_time_ms", nullable(integer)]
}
export const token = shape<Token>(tokenFields)

/** A token and the token version in which it last changed. */
export const versionedToken = shape<Token & { readonly version: number }>({
  ...tokenFields,
  version: ["version", integer]
})

/** A price that was overwritten; prices between two blocks belong to the earlier block. */
export const priceChange = inferredShape({
  blockNum: ["ethereum_block_num", uint64, "REFERENCES block (number)"],
  /** Position among the price changes of the block, from 0. */
  position: ["place", integer],
  tokenId: ["token_id", uint32],
  priceUSDBefore: ["price_usd_before", nullable(double)],
  priceTimeMsBefore: ["price_time_ms_before", nullable(integer)]
})
export type PriceChange = ShapeRow<typeof priceChange>

export const coordinator = shape<Coordinator>({
  itemId: ["item_id", integer, "PRIMARY KEY"],
  bidderAddr: ["bidder_addr", address],
  forgerAddr: ["forger_addr", address],
  url: ["url", text],
  ethereumBlockNum: ["ethereum_block_num", uint64]
})

/** The latest registration of a bidder. */
export const registration = inferredShape({
  bidderAddr: ["bidder_addr", address, "PRIMARY KEY"],
  forgerAddr: ["forger_addr", address],
  itemId: ["item_id", integer]
})

export const bid = shape<Bid>({
  itemId: ["item_id", integer, "PRIMARY KEY"],
  slotNum: ["slot_num", uint32],
  bidderAddr: ["bidder_addr", address],
  withdrawAddr: ["withdraw_addr", address],
  bidValue: ["bid_value", bigInteger],
  ethereumBlockNum: ["ethereum_block_num", uint64],
  timestampMs: ["timestamp_ms", integer]
})

/** A field of an exit that a withdrawal set, for a rollback. */
export const withdrawal = inferredShape({
  blockNum: ["ethereum_block_num", uint64, "REFERENCES block (number)"],
  exitItem: ["exit_item", integer],
  /** Index in `withdrawalFields`. */
  field: ["field", checked(int16, "% BETWEEN 0 AND 2")]
})
