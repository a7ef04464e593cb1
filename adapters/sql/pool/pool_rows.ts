import { PgTypes } from "@effect/sql-pg"
import {
  feeUnits,
  type PoolState,
  type PoolTransaction,
  type PoolTransactionType,
  type RequestedTransaction,
  type SkipCode,
  type SkippedTransaction
} from "../../../core/domain/mod.ts"
import type { Pooled } from "../../../core/ports/mod.ts"
import {
  bigints,
  booleans,
  type Column,
  hexBytes,
  numerics,
  readText,
  smallints,
  texts
} from "../connection/mod.ts"

/** The columns of `pool_transaction` that make up a transaction, as the driver returns them. */
export interface PoolTransactionRow {
  readonly id: Uint8Array
  readonly arrival: bigint
  readonly sender_address: Uint8Array
  readonly sender_key: Uint8Array
  readonly receiver_address: Uint8Array | null
  readonly receiver_key: Uint8Array | null
  readonly state: PoolState
  readonly since_ms: bigint
  readonly batch_num: bigint | null
  readonly timestamp_ms: bigint
  readonly type: PoolTransactionType
  readonly token_id: bigint
  readonly from_account_index: bigint
  readonly to_account_index: bigint | null
  readonly to_address: Uint8Array | null
  readonly to_public_key: Uint8Array | null
  readonly amount: string
  readonly fee: number
  readonly nonce: bigint
  readonly signature: string
  readonly has_request: boolean
  readonly request_from_account_index: bigint | null
  readonly request_to_account_index: bigint | null
  readonly request_to_address: Uint8Array | null
  readonly request_to_public_key: Uint8Array | null
  readonly request_token_id: bigint | null
  readonly request_amount: string | null
  readonly request_fee: number | null
  readonly request_nonce: string | null
  readonly max_num_batch: bigint | null
  readonly group_id: Uint8Array | null
  readonly group_position: number | null
  readonly group_size: number | null
  readonly request_offset: number | null
}

const columns: { readonly [Name in keyof PoolTransactionRow]: Column<Pooled> } = {
  id: hexBytes(({ transaction }) => transaction.id),
  arrival: bigints(({ arrival }) => arrival),
  sender_address: hexBytes(({ sender }) => sender.address),
  sender_key: hexBytes(({ sender }) => sender.publicKey),
  receiver_address: hexBytes(({ receiver }) => receiver?.address ?? null),
  receiver_key: hexBytes(({ receiver }) => receiver?.publicKey ?? null),
  state: texts(({ transaction }) => transaction.state),
  since_ms: bigints(({ sinceMs }) => sinceMs),
  batch_num: bigints(({ transaction }) => transaction.batchNum),
  timestamp_ms: bigints(({ transaction }) => transaction.timestampMs),
  type: texts(({ transaction }) => transaction.type),
  token_id: bigints(({ transaction }) => transaction.tokenId),
  from_account_index: bigints(({ transaction }) => transaction.fromAccountIndex),
  to_account_index: bigints(({ transaction }) => transaction.toAccountIndex),
  to_address: hexBytes(({ transaction }) => transaction.toAddress),
  to_public_key: hexBytes(({ transaction }) => transaction.toPublicKey),
  amount: numerics(({ transaction }) => transaction.amount),
  fee: smallints(({ transaction }) => transaction.fee),
  nonce: bigints(({ transaction }) => transaction.nonce),
  signature: texts(({ transaction }) => transaction.signature),
  has_request: booleans(({ transaction }) => transaction.request !== null),
  request_from_account_index: bigints(({ transaction }) =>
    transaction.request?.fromAccountIndex ?? null
  ),
  request_to_account_index: bigints(({ transaction }) =>
    transaction.request?.toAccountIndex ?? null
  ),
  request_to_address: hexBytes(({ transaction }) => transaction.request?.toAddress ?? null),
  request_to_public_key: hexBytes(({ transaction }) => transaction.request?.toPublicKey ?? null),
  request_token_id: bigints(({ transaction }) => transaction.request?.tokenId ?? null),
  request_amount: numerics(({ transaction }) => transaction.request?.amount ?? null),
  request_fee: smallints(({ transaction }) => transaction.request?.fee ?? null),
  request_nonce: numerics(({ transaction }) => transaction.request?.nonce ?? null),
  max_num_batch: bigints(({ transaction }) => transaction.maxNumBatch ?? null),
  group_id: hexBytes(({ transaction }) => transaction.group?.id ?? null),
  group_position: smallints(({ transaction }) => transaction.group?.position ?? null),
  group_size: smallints(({ transaction }) => transaction.group?.size ?? null),
  request_offset: smallints(({ transaction }) => transaction.group?.requestOffset ?? null)
}
const names = Object.keys(columns)
const insertedColumns = Object.values({
  ...columns,
  fee_units: numerics<Pooled>(({ transaction }) => feeUnits(transaction))
})

/** SQL for the columns of a `PoolTransactionRow` of `pool_transaction AS t`. */
export const transactionColumns: string = names.map((name) => `t.${name}`).join(", ")

/**
 * Returns the statement that inserts rows. Its parameters, from `insertParameters`, follow after
 * `precedingParameters` parameters.
 */
export const insertStatement = (precedingParameters: number): string => `
INSERT INTO pool_transaction (${[...names, "fee_units"].join(", ")})
SELECT * FROM unnest(${
  insertedColumns.map(({ type }, i) => `$${precedingParameters + i + 1}::${type}[]`).join(", ")
})`

export const insertParameters = (rows: ReadonlyArray<Pooled>): ReadonlyArray<string> =>
  insertedColumns.map(({ arrayOf }) => arrayOf(rows))

export const pooledOf = (row: PoolTransactionRow): Pooled => ({
  transaction: transactionOf(row),
  sender: { address: prefixedOf(row.sender_address), publicKey: hexOf(row.sender_key) },
  receiver: row.receiver_address === null || row.receiver_key === null
    ? null
    : { address: prefixedOf(row.receiver_address), publicKey: hexOf(row.receiver_key) },
  sinceMs: Number(row.since_ms),
  arrival: Number(row.arrival)
})

export const transactionOf = (row: PoolTransactionRow): PoolTransaction => ({
  id: prefixedOf(row.id),
  type: row.type,
  tokenId: Number(row.token_id),
  fromAccountIndex: Number(row.from_account_index),
  toAccountIndex: numberOrNull(row.to_account_index),
  toAddress: row.to_address === null ? null : prefixedOf(row.to_address),
  toPublicKey: row.to_public_key === null ? null : hexOf(row.to_public_key),
  amount: BigInt(row.amount),
  fee: row.fee,
  nonce: row.nonce,
  signature: row.signature,
  request: row.has_request ? requestOf(row) : null,
  ...row.max_num_batch === null ? {} : { maxNumBatch: Number(row.max_num_batch) },
  ...groupOf(row),
  state: row.state,
  timestampMs: Number(row.timestamp_ms),
  batchNum: numberOrNull(row.batch_num)
})

const groupOf = (
  row: PoolTransactionRow
): Pick<PoolTransaction, "group"> =>
  row.group_id === null ? {} : {
    group: {
      id: prefixedOf(row.group_id),
      position: row.group_position!,
      size: row.group_size!,
      requestOffset: row.request_offset!
    }
  }

const requestOf = (row: PoolTransactionRow): RequestedTransaction => ({
  fromAccountIndex: numberOrNull(row.request_from_account_index),
  toAccountIndex: numberOrNull(row.request_to_account_index),
  toAddress: row.request_to_address === null ? null : prefixedOf(row.request_to_address),
  toPublicKey: row.request_to_public_key === null ? null : hexOf(row.request_to_public_key),
  tokenId: numberOrNull(row.request_token_id),
  amount: row.request_amount === null ? null : BigInt(row.request_amount),
  fee: row.request_fee,
  nonce: row.request_nonce === null ? null : BigInt(row.request_nonce)
})

/** The columns of `pool_transaction` for the last time that the forger skipped the transaction. */
export interface SkippedTransactionRow {
  readonly id: Uint8Array
  readonly passed_code: SkipCode
  readonly passed_reason: string
  readonly passed_batch_num: bigint
  readonly passed_at_ms: bigint
}

export const skippedTransactionOf = (row: SkippedTransactionRow): SkippedTransaction => ({
  id: prefixedOf(row.id),
  code: row.passed_code,
  reason: readText(row.passed_reason),
  batchNum: Number(row.passed_batch_num),
  atMs: Number(row.passed_at_ms)
})

/** The columns of `pool` with the number of transactions in each state. */
export interface CountsRow extends Readonly<Record<PoolState, bigint>> {}

export const countsOf = (row: CountsRow): { readonly [State in PoolState]: number } => ({
  pend: Number(row.pend),
  fing: Number(row.fing),
  fged: Number(row.fged),
  invl: Number(row.invl)
})

export const numberOrNull = (value: bigint | null): number | null =>
  value === null ? null : Number(value)

/** Returns the bytes of hexadecimal digits, with or without `0x`. */
export const bytesOf = (hex: string): Uint8Array =>
  Buffer.from(hex.startsWith("0x") ? hex.slice(2) : hex, "hex")

/** Returns bytes as hexadecimal digits, without `0x`. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
export const prefixedOf = (bytes: Uint8Array): string => `0x${hexOf(bytes)}`

export const int8 = (value: number | bigint): PgTypes.Parameter => PgTypes.int8(BigInt(value))

const listOf = <Value>(
  column: (get: (value: Value | null) => Value | null) => Column<Value | null>
) => column((value) => value).arrayOf
/** Arrays of values, which may contain nulls, as parameters in text format. */
export const byteaList: (hex: ReadonlyArray<string | null>) => string = listOf(hexBytes)
export const bigintList: (values: ReadonlyArray<number | bigint | null>) => string = listOf<
  number | bigint
>(bigints)
export const smallintList: (values: ReadonlyArray<number | null>) => string = listOf(smallints)
export const textList: (values: ReadonlyArray<string | null>) => string = listOf(texts)
