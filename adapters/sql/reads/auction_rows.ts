import type { BidView, Coordinator, Token } from "../../../core/domain/mod.ts"
import {
  hexSql,
  fieldsOf,
  freeTextOf,
  intOrNull,
  lineSql,
  prefixedHex,
  readText
} from "../connection/mod.ts"

/*
 * The SQL of each line and its decoder list the same columns in the same order. `r` is the row.
 */

export const coordinatorRowSql = lineSql([
  "r.item_id",
  hexSql("r.bidder_addr"),
  hexSql("r.forger_addr"),
  "r.ethereum_block_num"
], "r.url")
export const decodeCoordinator = (line: string): Coordinator =>
  coordinatorAt(fieldsOf(line), 0, line)

/** Returns SQL for the latest registration of a bidder, as a sub-query with an alias. */
export const registrationOf = (bidder: string, alias: string): string => `
(SELECT c.* FROM registration CROSS JOIN LATERAL (SELECT * FROM coordinator WHERE coordinator.item_id = registration.item_id LIMIT 1) AS c
  WHERE registration.bidder_addr = ${bidder} LIMIT 1) AS ${alias}`

/** The line of a bid `r` with the latest registration `c` of its bidder. */
export const bidRowSql = lineSql([
  "r.item_id",
  "r.slot_num",
  hexSql("r.withdraw_addr"),
  "r.bid_value",
  "r.ethereum_block_num",
  "r.timestamp_ms",
  "c.item_id",
  hexSql("c.bidder_addr"),
  hexSql("c.forger_addr"),
  "c.ethereum_block_num"
], "c.url")
export const decodeBid = (line: string): BidView => {
  const fields = fieldsOf(line)
  const coordinator = coordinatorAt(fields, 6, line)
  return Object.freeze({
    bid: Object.freeze({
      itemId: Number(fields[0]),
      slotNum: Number(fields[1]),
      bidderAddr: coordinator.bidderAddr,
      withdrawAddr: prefixedHex(fields[2]!),
      bidValue: BigInt(fields[3]!),
      ethereumBlockNum: BigInt(fields[4]!),
      timestampMs: Number(fields[5])
    }),
    coordinator
  })
}

/** Decodes the coordinator whose columns begin at index `at` of the fields. */
const coordinatorAt = (fields: ReadonlyArray<string>, at: number, line: string): Coordinator =>
  Object.freeze({
    itemId: Number(fields[at]),
    bidderAddr: prefixedHex(fields[at + 1]!),
    forgerAddr: prefixedHex(fields[at + 2]!),
    url: readText(freeTextOf(line)),
    ethereumBlockNum: BigInt(fields[at + 3]!)
  })

/**
 * The free text is the name and the symbol without a separator; the last column is the length of
 * the name in characters (code points).
 */
export const tokenRowSql = lineSql([
  "r.item_id",
  "r.token_id",
  hexSql("r.ethereum_address"),
  "r.decimals",
  "r.ethereum_block_num",
  "r.price_usd",
  "r.price_time_ms",
  "char_length(r.name)"
], "r.name || r.symbol")
export const decodeToken = (line: string): Token => {
  const fields = fieldsOf(line)
  const texts = [...freeTextOf(line)]
  const nameLength = Number(fields[7])
  return Object.freeze({
    itemId: Number(fields[0]),
    id: Number(fields[1]),
    ethereumAddress: prefixedHex(fields[2]!),
    name: readText(texts.slice(0, nameLength).join("")),
    symbol: readText(texts.slice(nameLength).join("")),
    decimals: Number(fields[3]),
    ethereumBlockNum: BigInt(fields[4]!),
    priceUSD: intOrNull(fields[5]!),
    priceTimeMs: intOrNull(fields[6]!)
  })
}
