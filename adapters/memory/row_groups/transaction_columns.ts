import {
  type Account,
  type L1Part,
  type L2Part,
  type Transaction,
  transactionTypes
} from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import {
  idAt,
  type IdColumn,
  idColumn,
  membersOf,
  numberAt,
  numberColumn,
  objectAt,
  type ObjectColumns,
  objectColumns
} from "./_columns.ts"
import type { RowCodec } from "./grouped_rows.ts"

/** Returns an account. */
export type OwnerOf = (index: AccountIndex) => Account | undefined

/** Transactions in columns: those that an index reads, and all others. */
export interface TransactionColumns {
  readonly itemIds: Float64Array
  readonly ids: IdColumn
  /** Indexes in `transactionTypes`. */
  readonly types: Uint8Array
  readonly tokenIds: Uint32Array
  readonly fromAccountIndexes: Float64Array
  readonly toAccountIndexes: Float64Array
  /** Codes of the strings of each of `textMembers`: see `codeOf`. */
  readonly texts: ReadonlyArray<Uint16Array>
  /** The strings that are not those of an account. */
  readonly strings: ReadonlyArray<string>
  /** The members that have no column here. */
  readonly others: ObjectColumns<Transaction>
  /** The number of each transaction in `l1`, or below 0 its complement in `l2`. */
  readonly parts: Int16Array
  readonly l1: ObjectColumns<L1Part>
  readonly l2: ObjectColumns<L2Part>
}

/** The members with a string of an account: its index is in another member. */
const textMembers = [
  ["fromAddress", "fromAccountIndex", "address"],
  ["fromPublicKey", "fromAccountIndex", "publicKey"],
  ["toAddress", "toAccountIndex", "address"],
  ["toPublicKey", "toAccountIndex", "publicKey"]
] as const
type TextMember = typeof textMembers[number]

/** The members that have a column in `TransactionColumns`. */
const ownColumns = new Set<keyof Transaction>(
  ["itemId", "id", "type", "tokenId", "l1", "l2", ...textMembers.flatMap(([a, b]) => [a, b])]
)

const nullCode = 0
const ownerCode = 1
const firstStringCode = 2

/**
 * Returns the codec of transactions, at most 16383 in a row group. The strings of accounts that
 * `ownerOf` returns are not stored again.
 */
export const transactionCodec = (
  ownerOf: OwnerOf = () => undefined
): RowCodec<Transaction, TransactionColumns> => ({
  encode: (rows) => encodeTransactions(rows, ownerOf),
  decode: (columns, at) => decodeTransaction(columns, at, ownerOf)
})

const encodeTransactions = (
  rows: ReadonlyArray<Transaction>,
  ownerOf: OwnerOf
): TransactionColumns => {
  const strings: Array<string> = []
  const codes = new Map<string, number>()
  // the string of the account itself if the account is as old as the row, so it cannot be replaced
  const codeOf = (row: Transaction, [member, indexMember, field]: TextMember): number => {
    const [text, index] = [row[member], row[indexMember]]
    if (text === null) return nullCode
    const owner = row.batchNum === null || index === null ? undefined : ownerOf(index)
    if (owner?.[field] === text && owner.batchNum <= row.batchNum!) return ownerCode
    let code = codes.get(text)
    if (code === undefined) {
      code = firstStringCode + strings.push(text) - 1
      codes.set(text, code)
    }
    return code
  }
  const l1: Array<L1Part> = []
  const l2: Array<L2Part> = []
  return {
    itemIds: Float64Array.from(rows, ({ itemId }) => itemId),
    ids: idColumn(rows.map(({ id }) => id)),
    types: Uint8Array.from(rows, ({ type }) => transactionTypes.indexOf(type)),
    tokenIds: Uint32Array.from(rows, ({ tokenId }) => tokenId),
    fromAccountIndexes: numberColumn(rows.map(({ fromAccountIndex }) => fromAccountIndex)),
    toAccountIndexes: Float64Array.from(rows, ({ toAccountIndex }) => toAccountIndex),
    texts: textMembers.map((member) => Uint16Array.from(rows, (row) => codeOf(row, member))),
    strings,
    others: objectColumns(rows, membersOf(rows).filter((member) => !ownColumns.has(member))),
    parts: Int16Array.from(
      rows,
      (row) => row.l1 === null ? ~(l2.push(row.l2!) - 1) : l1.push(row.l1) - 1
    ),
    l1: objectColumns(l1),
    l2: objectColumns(l2)
  }
}

const decodeTransaction = (
  columns: TransactionColumns,
  at: number,
  ownerOf: OwnerOf
): Transaction => {
  const keys = new TransactionKeys(columns, at, ownerOf)
  const part = columns.parts[at]!
  return {
    ...objectAt(columns.others, at),
    itemId: keys.itemId,
    id: idAt(columns.ids, at),
    type: keys.type,
    fromAccountIndex: keys.fromAccountIndex,
    fromAddress: keys.fromAddress,
    fromPublicKey: keys.fromPublicKey,
    toAccountIndex: keys.toAccountIndex,
    toAddress: keys.toAddress,
    toPublicKey: keys.toPublicKey,
    tokenId: keys.tokenId,
    l1: part < 0 ? null : objectAt(columns.l1, part),
    l2: part < 0 ? objectAt(columns.l2, ~part) : null
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
    return this.text(0)
  }
  get fromPublicKey(): string | null {
    return this.text(1)
  }
  get toAddress(): string | null {
    return this.text(2)
  }
  get toPublicKey(): string | null {
    return this.text(3)
  }

  private text(number: number): string | null {
    const code = this.columns.texts[number]![this.at]!
    if (code === nullCode) return null
    if (code !== ownerCode) return this.columns.strings[code - firstStringCode]!
    const [, indexMember, field] = textMembers[number]!
    return this.ownerOf(this[indexMember]!)![field]
  }
}
