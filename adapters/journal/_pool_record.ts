import type { Authorization, PoolTransaction, SkippedTransaction } from "../../core/domain/mod.ts"
import type { PublicKey, TransactionId } from "../../core/encoding/mod.ts"
import type { PoolStore } from "../../core/ports/mod.ts"

type Calls = PoolStore["Service"]

/** A write of the pool with its arguments. The kinds are part of the file format. */
export type PoolRecord =
  | {
    readonly kind: "transaction"
    readonly transaction: PoolTransaction
    readonly sender: PublicKey
  }
  | {
    readonly kind: "replacement"
    readonly replaced: TransactionId
    readonly transaction: PoolTransaction
    readonly sender: PublicKey
  }
  | { readonly kind: "authorization"; readonly authorization: Authorization }
  | {
    readonly kind: "change"
    readonly changes: Parameters<Calls["change"]>[0]
    readonly atMs: number
  }
  | {
    readonly kind: "settle"
    readonly step: Parameters<Calls["settle"]>[0]
    readonly atMs: number
  }
  | { readonly kind: "passOver"; readonly notes: ReadonlyArray<SkippedTransaction> }

/** Returns a record as JSON, with amounts and nonces as decimal strings. */
export const writePoolRecord = (record: PoolRecord): string =>
  JSON.stringify(
    record.kind === "transaction" || record.kind === "replacement"
      ? { ...record, transaction: encodeTransaction(record.transaction) }
      : record
  )

/** Returns the record of a text that `writePoolRecord` returned. The caller checks its checksum. */
export function readPoolRecord(text: string): PoolRecord {
  const record = JSON.parse(text) as
    | Exclude<PoolRecord, { readonly transaction: PoolTransaction }>
    | Encoded<Extract<PoolRecord, { readonly transaction: PoolTransaction }>>
  return record.kind === "transaction" || record.kind === "replacement"
    ? { ...record, transaction: decodeTransaction(record.transaction) }
    : record
}

type EncodedTransaction = ReturnType<typeof encodeTransaction>
type Encoded<Record> = Record extends unknown
  ? Omit<Record, "transaction"> & { readonly transaction: EncodedTransaction }
  : never

const encodeTransaction = (transaction: PoolTransaction) => {
  const { amount, nonce, request } = transaction
  return {
    ...transaction,
    amount: String(amount),
    nonce: String(nonce),
    request: request && { ...request, amount: textOf(request.amount), nonce: textOf(request.nonce) }
  }
}

const decodeTransaction = (encoded: EncodedTransaction): PoolTransaction => {
  const { amount, nonce, request } = encoded
  return {
    ...encoded,
    amount: BigInt(amount),
    nonce: BigInt(nonce),
    request: request &&
      { ...request, amount: bigintOf(request.amount), nonce: bigintOf(request.nonce) }
  }
}

const textOf = (value: bigint | null): string | null => value === null ? null : String(value)
const bigintOf = (text: string | null): bigint | null => text === null ? null : BigInt(text)
