import type { ListName } from "../../../core/contract/mod.ts"
import type { FilterValues } from "../../sql/_filter_combinations.ts"
import { execute } from "../../postgres/_statements.ts"
import { heavyAccount } from "./_sql_ledger.ts"

/** Returns the value of each filter of each list that matches the most rows. */
export const valuesOf = async (
  url: string
): Promise<{ readonly [N in ListName]: FilterValues }> => {
  const one = async (text: string) => String((await execute(url, text))[0]!.value)
  const number = async (text: string) => Number(await one(text))
  const hex = (column: string) => `encode(${column}, 'hex') AS value`
  const most = (column: string, table: string) =>
    `FROM ${table} GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT 1`
  const owner = async (index: number) => ({
    accountIndex: index,
    address: `0x${await one(
      `SELECT ${hex("address")} FROM account WHERE account_index = ${index}`
    )}`,
    publicKey: await one(`SELECT ${hex("public_key")} FROM account WHERE account_index = ${index}`),
    tokenId: await number(`SELECT token_id AS value FROM account WHERE account_index = ${index}`)
  })
  const heavy = await owner(heavyAccount)
  const leaving = await owner(
    await number(`SELECT account_index AS value ${most("account_index", "exit")}`)
  )
  const bidderAddr = `0x${await one(
    `SELECT ${hex("bidder_addr")} ${most("bidder_addr", "bid")}`
  )}`
  const forgerAddr = `0x${await one(
    `SELECT ${hex("forger_addr")} FROM registration WHERE bidder_addr = '\\x${bidderAddr.slice(2)}'`
  )}`
  const batches = await number("SELECT max(batch_num) AS value FROM batch")
  const slots = await number("SELECT max(slot_num) AS value FROM bid")
  return {
    accounts: {
      address: heavy.address,
      publicKey: heavy.publicKey,
      tokenIds: [heavy.tokenId, heavy.tokenId + 1]
    },
    exits: {
      ...leaving,
      batchNum: await number(
        "SELECT batch_num AS value FROM batch ORDER BY exits_to - exits_from DESC LIMIT 1"
      ),
      onlyPendingWithdraws: true
    },
    transactions: {
      ...heavy,
      type: "Transfer",
      batchNum: await number(
        "SELECT batch_num AS value FROM batch ORDER BY transactions_to - transactions_from DESC LIMIT 1"
      )
    },
    batches: {
      minBatchNum: Math.floor(batches / 10),
      maxBatchNum: batches,
      slotNum: await number(`SELECT slot_num AS value ${most("slot_num", "batch")}`),
      forgerAddr: `0x${await one(`SELECT ${hex("forger_addr")} ${most("forger_addr", "batch")}`)}`
    },
    slots: {
      minSlotNum: 1,
      maxSlotNum: slots,
      wonByBidder: bidderAddr,
      wonByForger: forgerAddr,
      bestBidder: bidderAddr,
      finishedAuction: true
    },
    bids: {
      slotNum: await number(`SELECT slot_num AS value ${most("slot_num", "bid")}`),
      bidderAddr,
      forgerAddr
    },
    tokens: { ids: [0, 1, 2], symbols: ["ETH"], name: "e", addresses: [`0x${"0".repeat(40)}`] },
    coordinators: { bidderAddr, forgerAddr, onlyLatest: true }
  }
}
