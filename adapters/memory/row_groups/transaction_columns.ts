import {
  type Account,
  type L1Part,
  type Transaction,
  transactionTypes
} from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import {
  bigintAt,
  type BigintColumn,
  bigintColumn,
  idAt,
  type IdColumn,
  idColumn,
  numberAt,
  numberColumn
} from "./_columns.ts"

/** Returns an account. */
export type OwnerOf = (index: AccountIndex) => Account | undefined

/** Forged transactions in columns. */
export interface TransactionColumns {
  readonly itemIds: Float64Array
  readonly ids: IdColumn
  /** Indexes in `transactionTypes`. */
  readonly types: Uint8Array
  readonly positions: Uint32Array
  readonly fromAccountIndexes: Float64Array
  readonly toAccountIndexes: Float64Array
  /** Codes of strings: see `codeOf`. */
  readonly fromAddresses: Uint16Array
  readonly fromPublicKeys: Uint16Array
  readonly toAddresses: Uint16Array
  readonly toPublicKeys: Uint16Array
  /** The strings that are not those of an account. */
  readonly strings: ReadonlyArray<string>
  readonly tokenIds: Uint32Array
  readonly amounts: BigintColumn
  readonly batchNums: Uint32Array
  readonly historicUSD: Float64Array
  readonly timestampsMs: Float64Array
  readonly l1: ReadonlyMap<number, L1Part>
  /** −1 for an L1 transaction. */
  readonly fees: Int16Array
  readonly historicFeesUSD: Float64Array
  readonly nonces: Float64Array
}

const noFee = -1
const nullCode = 0
const ownerCode = 1
const firstStringCode = 2

/** Returns the columns of forged transactions, at most 16383 of them. */
export const encodeTransactions = (
  rows: ReadonlyArray<Transaction>,
  ownerOf: OwnerOf
): TransactionColumns => {
  const strings: Array<string> = []
  const codes = new Map<string, number>()
  // the string of the account itself if the account is as old as the row, so it cannot be replaced
  const codeOf = (
    { batchNum }: Transaction,
    index: AccountIndex | null,
    field: "address" | "publicKey",
    text: string | null
  ): number => {
    if (text === null) return nullCode
    const owner = index === null ? undefined : ownerOf(index)
    if (owner?.[field] === text && owner.batchNum <= batchNum!) return ownerCode
    let code = codes.get(text)
    if (code === undefined) {
      code = firstStringCode + strings.push(text) - 1
      codes.set(text, code)
    }
    return code
  }
  const l1 = new Map<number, L1Part>()
  for (const [at, row] of rows.entries()) if (row.l1 !== null) l1.set(at, row.l1)
  return {
    itemIds: Float64Array.from(rows, ({ itemId }) => itemId),
    ids: idColumn(rows.map(({ id }) => id)),
    types: Uint8Array.from(rows, ({ type }) => transactionTypes.indexOf(type)),
    positions: Uint32Array.from(rows, ({ position }) => position),
    fromAccountIndexes: numberColumn(rows.map(({ fromAccountIndex }) => fromAccountIndex)),
    toAccountIndexes: Float64Array.from(rows, ({ toAccountIndex }) => toAccountIndex),
    fromAddresses: Uint16Array.from(
      rows,
      (row) => codeOf(row, row.fromAccountIndex, "address", row.fromAddress)
    ),
    fromPublicKeys: Uint16Array.from(
      rows,
      (row) => codeOf(row, row.fromAccountIndex, "publicKey", row.fromPublicKey)
    ),
    toAddresses: Uint16Array.from(
      rows,
      (row) => codeOf(row, row.toAccountIndex, "address", row.toAddress)
    ),
    toPublicKeys: Uint16Array.from(
      rows,
      (row) => codeOf(row, row.toAccountIndex, "publicKey", row.toPublicKey)
    ),
    strings,
    tokenIds: Uint32Array.from(rows, ({ tokenId }) => tokenId),
    amounts: bigintColumn(rows.map(({ amount }) => amount)),
    batchNums: Uint32Array.from(rows, ({ batchNum }) => batchNum!),
    historicUSD: numberColumn(rows.map(({ historicUSD }) => historicUSD)),
    timestampsMs: Float64Array.from(rows, ({ timestampMs }) => timestampMs),
    l1,
    fees: Int16Array.from(rows, ({ l2 }) => l2?.fee ?? noFee),
    historicFeesUSD: numberColumn(rows.map(({ l2 }) => l2?.historicFeeUSD ?? null)),
    nonces: Float64Array.from(rows, ({ l2 }) => Number(l2?.nonce ?? 0n))
  }
}

/** Returns the transaction at an index of the columns. */
export const decodeTransaction = (
  columns: TransactionColumns,
  at: number,
  ownerOf: OwnerOf
): Transaction => {
  const keys = new TransactionKeys(columns, at, ownerOf)
  const fee = columns.fees[at]!
  return {
    itemId: columns.itemIds[at]!,
    id: idAt(columns.ids, at),
    type: keys.type,
    position: columns.positions[at]!,
    fromAccountIndex: keys.fromAccountIndex,
    fromAddress: keys.fromAddress,
    fromPublicKey: keys.fromPublicKey,
    toAccountIndex: keys.toAccountIndex,
    toAddress: keys.toAddress,
    toPublicKey: keys.toPublicKey,
    tokenId: keys.tokenId,
    amount: bigintAt(columns.amounts, at),
    batchNum: columns.batchNums[at]!,
    historicUSD: numberAt(columns.historicUSD, at),
    timestampMs: columns.timestampsMs[at]!,
    l1: columns.l1.get(at) ?? null,
    l2: fee === noFee ? null : {
      fee,
      historicFeeUSD: numberAt(columns.historicFeesUSD, at),
      nonce: BigInt(columns.nonces[at]!)
    }
  }
}

/** The members of a transaction that an index reads, without decoding the others. */
export class TransactionKeys {
  private readonly columns: TransactionColumns
  private readonly at: number
  private readonly ownerOf: OwnerOf

  constructor(columns: TransactionColumns, at: number, ownerOf: OwnerOf) {
    this.columns = columns
    this.at = at
    this.ownerOf = ownerOf
  }

  get itemId(): number {
    return this.columns.itemIds[this.at]!
  }
  get type(): Transaction["type"] {
    return transactionTypes[this.columns.types[this.at]!]!
  }
  get tokenId(): number {
    return this.columns.tokenIds[this.at]!
  }
  get fromAccountIndex(): AccountIndex | null {
    return numberAt(this.columns.fromAccountIndexes, this.at)
  }
  get toAccountIndex(): AccountIndex {
    return this.columns.toAccountIndexes[this.at]!
  }
  get fromAddress(): string | null {
    return this.text(this.columns.fromAddresses, this.columns.fromAccountIndexes, "address")
  }
  get fromPublicKey(): string | null {
    return this.text(this.columns.fromPublicKeys, this.columns.fromAccountIndexes, "publicKey")
  }
  get toAddress(): string | null {
    return this.text(this.columns.toAddresses, this.columns.toAccountIndexes, "address")
  }
  get toPublicKey(): string | null {
    return this.text(this.columns.toPublicKeys, this.columns.toAccountIndexes, "publicKey")
  }

  private text(
    codes: Uint16Array,
    indexes: Float64Array,
    field: "address" | "publicKey"
  ): string | null {
    const code = codes[this.at]!
    if (code === nullCode) return null
    return code === ownerCode
      ? this.ownerOf(indexes[this.at]!)![field]
      : this.columns.strings[code - firstStringCode]!
  }
}
