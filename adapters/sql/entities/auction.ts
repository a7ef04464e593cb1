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
import { type Fields, shape } from "./shape.ts"

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
export type VersionedToken = Token & { readonly version: number }
export const versionedToken = shape<VersionedToken>({
  ...tokenFields,
  version: ["version", integer]
})

/** A price that was overwritten; prices between two blocks belong to the earlier block. */
export interface PriceChange {
  readonly blockNum: bigint
  /** Position among the price changes of the block, from 0. */
  readonly position: number
  readonly tokenId: number
  readonly priceUSDBefore: number | null
  readonly priceTimeMsBefore: number | null
}
export const priceChange = shape<PriceChange>({
  blockNum: ["ethereum_block_num", uint64, "REFERENCES block (number)"],
  position: ["place", integer],
  tokenId: ["token_id", uint32],
  priceUSDBefore: ["price_usd_before", nullable(double)],
  priceTimeMsBefore: ["price_time_ms_before", nullable(integer)]
})

export const coordinator = shape<Coordinator>({
  itemId: ["item_id", integer, "PRIMARY KEY"],
  bidderAddr: ["bidder_addr", address],
  forgerAddr: ["forger_addr", address],
  url: ["url", text],
  ethereumBlockNum: ["ethereum_block_num", uint64]
})

/** The latest registration of a bidder. */
export type Registration = Pick<Coordinator, "bidderAddr" | "forgerAddr" | "itemId">
export const registration = shape<Registration>({
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
export interface Withdrawal {
  readonly blockNum: bigint
  readonly exitItem: number
  /** Index in `withdrawalFields`. */
  readonly field: number
}
export const withdrawal = shape<Withdrawal>({
  blockNum: ["ethereum_block_num", uint64, "REFERENCES block (number)"],
  exitItem: ["exit_item", integer],
  field: ["field", checked(int16, "% BETWEEN 0 AND 2")]
})
