import type {
  Authorization,
  PoolTransaction,
  SkippedTransaction
} from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import type { OwnedTransaction, PoolStore, TransactionOwners } from "../../../core/ports/mod.ts"

type Calls = PoolStore["Service"]

/** A write of the pool with its arguments. The kinds are part of the file format. */
export type PoolRecord =
  | {
    readonly kind: "transaction"
    readonly transaction: PoolTransaction
    readonly owners: TransactionOwners
  }
  | {
    readonly kind: "replacement"
    readonly replaced: TransactionId
    readonly transaction: PoolTransaction
    readonly owners: TransactionOwners
  }
  | {
    readonly kind: "group"
    readonly group: ReadonlyArray<OwnedTransaction>
  }
  | { readonly kind: "authorization"; readonly authorization: Authorization }
  | {
    readonly kind: "change"
    readonly changes: Parameters<Calls["change"]>[0]
    readonly atMs: number
  }
  | {
    readonly kind: "reconcile"
    readonly step: Parameters<Calls["reconcile"]>[0]
    readonly atMs: number
  }
  | {
    readonly kind: "passOver"
    readonly notes: ReadonlyArray<SkippedTransaction>
    readonly selected: ReadonlyArray<TransactionId>
  }

/** Returns a record as JSON, with amounts and nonces as decimal strings. */
export const writePoolRecord = (record: PoolRecord): string => {
  switch (record.kind) {
    case "transaction":
    case "replacement":
      return JSON.stringify({ ...record, transaction: encodeTransaction(record.transaction) })
    case "group":
      return JSON.stringify({
        ...record,
        group: record.group.map((each) => ({
          ...each,
          transaction: encodeTransaction(each.transaction)
        }))
      })
    default:
      return JSON.stringify(record)
  }
}

/** Returns the record of a text that `writePoolRecord` returned. The caller checks its checksum. */
export function readPoolRecord(text: string): PoolRecord {
  const record = JSON.parse(text) as Encoded<PoolRecord>
  switch (record.kind) {
    case "transaction":
    case "replacement":
      return { ...record, transaction: decodeTransaction(record.transaction) }
    case "group":
      return {
        ...record,
        group: record.group.map((each) => ({
          ...each,
          transaction: decodeTransaction(each.transaction)
        }))
      }
    default:
      return record
  }
}

type EncodedTransaction = ReturnType<typeof encodeTransaction>
type Encoded<Value> = Value extends PoolTransaction ? EncodedTransaction
  : Value extends ReadonlyArray<infer Item> ? ReadonlyArray<Encoded<Item>>
  : Value extends { readonly transaction: PoolTransaction }
    ? Omit<Value, "transaction"> & { readonly transaction: EncodedTransaction }
  : Value extends { readonly kind: "group" } ? { readonly [K in keyof Value]: Encoded<Value[K]> }
  : Value

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
