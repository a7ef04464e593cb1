import type { QueryResultRow } from "pg"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { transactionTypes } from "../../../core/domain/mod.ts"
import { checksumAddress } from "../../../core/encoding/mod.ts"

/*
 * Hand-written answers over rows of `pg`, which returns bytes as buffers, and 64-bit and decimal
 * numbers as texts.
 */

/** The columns of a token in a row of something else. */
export const tokenColumns = [
  "token_id",
  "item_id",
  "ethereum_address",
  "name",
  "symbol",
  "decimals",
  "ethereum_block_num",
  "price_usd",
  "price_time_ms"
].map((column) => `token.${column} AS token_${column}`).join(", ")

/** Texts of addresses and keys are cached, as in our server. */
const remembered = (write: (bytes: Buffer) => string) => {
  const known = new Map<string, string>()
  return (bytes: Buffer): string => {
    const key = bytes.toString("latin1")
    let text = known.get(key)
    if (text === undefined) known.set(key, text = write(bytes))
    return text
  }
}
const prefixed = remembered((bytes) =>
  `zk:${checksumAddress(`0x${bytes.toString("hex")}`, keccak256)}`
)
const publicKey = remembered((bytes) =>
  `zk:${
    Buffer.concat([bytes, Buffer.of(bytes.reduce((sum, byte) => sum + byte, 0) & 255)]).toString(
      "base64url"
    )
  }`
)
const orNull = <T, A>(value: T | null, write: (value: T) => A): A | null =>
  value === null ? null : write(value)
/** Our tables store a backslash as two. */
const textOf = (stored: string): string => stored.replaceAll("\\\\", "\\")
const time = (ms: string): string => new Date(Number(ms)).toISOString()

export const tokenOf = (row: QueryResultRow) => ({
  id: Number(row.token_token_id),
  ethereumAddress: `0x${row.token_ethereum_address.toString("hex")}`,
  itemId: Number(row.token_item_id),
  name: textOf(row.token_name),
  symbol: textOf(row.token_symbol),
  decimals: row.token_decimals,
  ethereumBlockNum: Number(row.token_ethereum_block_num),
  USD: row.token_price_usd,
  fiatUpdate: orNull(row.token_price_time_ms, time)
})

export const accountOf = (row: QueryResultRow) => ({
  itemId: Number(row.item_id),
  accountIndex: `zk:${textOf(row.token_symbol)}:${row.account_index}`,
  nonce: Number(row.nonce),
  balance: row.balance,
  bjj: publicKey(row.public_key),
  zkEthereumAddress: prefixed(row.address),
  token: tokenOf(row)
})

export const transactionOf = (row: QueryResultRow) => ({
  L1orL2: row.fee === null ? "L1" : "L2",
  id: `0x${row.id.toString("hex")}`,
  itemId: Number(row.item_id),
  type: transactionTypes[row.type],
  position: row.position,
  fromAccountIndex: orNull(
    row.from_account_index,
    (index) => `zk:${textOf(row.token_symbol)}:${index}`
  ),
  fromZkEthereumAddress: orNull(row.from_address, prefixed),
  fromBJJ: orNull(row.from_public_key, publicKey),
  toAccountIndex: `zk:${textOf(row.token_symbol)}:${row.to_account_index}`,
  toZkEthereumAddress: orNull(row.to_address, prefixed),
  toBJJ: orNull(row.to_public_key, publicKey),
  amount: row.amount,
  batchNum: Number(row.batch_num),
  historicUSD: row.historic_usd,
  timestamp: time(row.timestamp_ms),
  token: tokenOf(row),
  L1Info: row.fee === null
    ? {
      toForgeL1TransactionsNum: orNull(row.queue, Number),
      userOrigin: row.user_origin,
      depositAmount: row.deposit_amount,
      amountSuccess: row.amount_success,
      depositAmountSuccess: row.deposit_amount_success,
      historicDepositAmountUSD: row.historic_deposit_amount_usd,
      ethereumBlockNum: Number(row.ethereum_block_num)
    }
    : null,
  L2Info: row.fee === null
    ? null
    : { fee: row.fee, historicFeeUSD: row.historic_fee_usd, nonce: Number(row.nonce) }
})
