import type { Authorization, PoolTransaction, SkippedTransaction } from "../../core/domain/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import type { PoolStore } from "../../core/ports/mod.ts"

type Calls = PoolStore["Service"]

/** A write that the pool has made. */
export type PoolRecord =
  | {
    readonly kind: "transaction"
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

/** As JSON, amounts and nonces as decimal strings. */
export const writePoolRecord = (record: PoolRecord): string =>
  JSON.stringify(
    record.kind === "transaction"
      ? { ...record, transaction: withTexts(record.transaction) }
      : record
  )

/** Of a text that was written here and has not changed since. */
export function readPoolRecord(text: string): PoolRecord {
  const record = JSON.parse(text) as Exclude<PoolRecord, { readonly kind: "transaction" }> | Written
  return record.kind === "transaction"
    ? { ...record, transaction: withBigints(record.transaction) }
    : record
}

interface Written {
  readonly kind: "transaction"
  readonly transaction: ReturnType<typeof withTexts>
  readonly sender: PublicKey
}

const withTexts = (transaction: PoolTransaction) => {
  const { amount, nonce, request } = transaction
  return {
    ...transaction,
    amount: String(amount),
    nonce: String(nonce),
    request: request && { ...request, amount: textOf(request.amount), nonce: textOf(request.nonce) }
  }
}

const withBigints = (written: Written["transaction"]): PoolTransaction => {
  const { amount, nonce, request } = written
  return {
    ...written,
    amount: BigInt(amount),
    nonce: BigInt(nonce),
    request: request &&
      { ...request, amount: bigintOf(request.amount), nonce: bigintOf(request.nonce) }
  }
}

const textOf = (value: bigint | null): string | null => value === null ? null : String(value)
const bigintOf = (text: string | null): bigint | null => text === null ? null : BigInt(text)
