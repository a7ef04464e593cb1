import type { ComparedValue, ScalarName } from "../../../core/contract/mod.ts"
import { type TransactionType, transactionTypes } from "../../../core/domain/mod.ts"
import type { EthereumAddress, PublicKey } from "../../../core/encoding/mod.ts"

/** How a value is written in keys. */
export interface KeyEncoding<Value> {
  /** Length in bytes. */
  readonly octets: number
  /** Returns SQL for the bytes of a column. */
  readonly sql: (column: string) => string
  /** Returns the bytes of a value as hexadecimal digits. */
  readonly digits: (value: Value) => string
}

const int8: KeyEncoding<number> = {
  octets: 8,
  sql: (column) => `int8send(${column})`,
  digits: (value) => value.toString(16).padStart(16, "0")
}
const typeDigits = new Map<TransactionType, string>(
  transactionTypes.map((type, number) => [type, number.toString(16).padStart(4, "0")])
)
const transactionType: KeyEncoding<TransactionType> = {
  octets: 2,
  sql: (column) => `int2send(${column})`,
  digits: (type) => typeDigits.get(type)!
}
const address: KeyEncoding<EthereumAddress> = {
  octets: 20,
  sql: (column) => column,
  digits: (value) => value.slice(2)
}
const publicKey: KeyEncoding<PublicKey> = {
  octets: 32,
  sql: (column) => column,
  digits: (key) => key
}

/** How the values of a scalar are written. */
export const encodings = {
  accountIndex: int8,
  tokenId: int8,
  tokenIds: int8,
  slotNum: int8,
  prefixedAddress: address,
  ethereumAddress: address,
  publicKey,
  transactionType
} as const satisfies { readonly [S in ScalarName]?: KeyEncoding<ComparedValue<S>> }
