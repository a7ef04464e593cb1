import type { ListName } from "../../../core/contract/mod.ts"
import type { FilterValues } from "../../sql/_filter_combinations.ts"
import { execute } from "../../postgres/_statements.ts"
import { heavyAccount } from "./_sql_ledger.ts"

/** Returns the value of each filter of each list that matches the most rows. */
export const valuesOf = async (
  url: string
): Promise<{ readonly [N in ListName]: FilterValues }> => {
  const one = async (column: string, from: string) =>
    String((await execute(url, `SELECT ${column} AS value FROM ${from}`))[0]!.value)
  const number = async (column: string, from: string) => Number(await one(column, from))
  const hex = (column: string, from: string) => one(`encode(${column}, 'hex')`, from)
  /** The group of rows with the most frequent value of a column. */
  const most = (column: string, table: string) =>
    `${table} GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT 1`
  const largestBatch = (part: string) =>
    number("batch_num", `batch ORDER BY ${part}_to - ${part}_from DESC LIMIT 1`)
  const owner = async (accountIndex: number) => {
    const from = `account WHERE account_index = ${accountIndex}`
    return {
      accountIndex,
      address: `0x${await hex("address", from)}`,
      publicKey: await hex("public_key", from),
      tokenId: await number("token_id", from)
    }
  }
  const heavy = await owner(heavyAccount)
  const leaving = await owner(await number("account_index", most("account_index", "exit")))
  const bidder = await hex("bidder_addr", most("bidder_addr", "bid"))
  const bidderAddr = `0x${bidder}`
  const forgerAddr = `0x${await hex(
    "forger_addr",
    `registration WHERE bidder_addr = '\\x${bidder}'`
  )}`
  const batches = await number("max(batch_num)", "batch")
  return {
    accounts: {
      address: heavy.address,
      publicKey: heavy.publicKey,
      tokenIds: [heavy.tokenId, heavy.tokenId + 1]
    },
    exits: {
      ...leaving,
      batchNum: await largestBatch("exits"),
      onlyPendingWithdraws: true
    },
    transactions: {
      ...heavy,
      type: "Transfer",
      batchNum: await largestBatch("transactions")
    },
    batches: {
      minBatchNum: Math.floor(batches / 10),
      maxBatchNum: batches,
      slotNum: await number("slot_num", most("slot_num", "batch")),
      forgerAddr: `0x${await hex("forger_addr", most("forger_addr", "batch"))}`
    },
    slots: {
      minSlotNum: 1,
      maxSlotNum: await number("max(slot_num)", "bid"),
      wonByBidder: bidderAddr,
      wonByForger: forgerAddr,
      bestBidder: bidderAddr,
      finishedAuction: true
    },
    bids: {
      slotNum: await number("slot_num", most("slot_num", "bid")),
      bidderAddr,
      forgerAddr
    },
    tokens: { ids: [0, 1, 2], symbols: ["ETH"], name: "e", addresses: [`0x${"0".repeat(40)}`] },
    coordinators: { bidderAddr, forgerAddr, onlyLatest: true }
  }
}
