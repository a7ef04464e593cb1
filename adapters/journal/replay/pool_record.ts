import type {
  Authorization,
  PoolTransaction,
  RequestedTransaction,
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
  | { readonly kind: "group"; readonly group: ReadonlyArray<OwnedTransaction> }
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

type BigintMember<Value> = {
  [Name in keyof Value]-?: Extract<Value[Name], bigint> extends never ? never : Name
}[keyof Value]

/** The members of a record that are bigint; in JSON they are decimal strings. */
const bigintMembers = {
  amount: true,
  nonce: true
} satisfies Record<BigintMember<PoolTransaction> | BigintMember<RequestedTransaction>, true>

/** Returns a record as JSON. */
export const writePoolRecord = (record: PoolRecord): string =>
  JSON.stringify(record, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)

/** Returns the record of a text that `writePoolRecord` returned. The caller checks its checksum. */
export const readPoolRecord = (text: string): PoolRecord =>
  JSON.parse(
    text,
    (name, value: unknown) =>
      name in bigintMembers && typeof value === "string" ? BigInt(value) : value
  ) as PoolRecord
