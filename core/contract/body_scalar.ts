import { Result } from "effect"
import { type Network, type PoolTransactionType, poolTransactionTypes } from "../domain/mod.ts"
import {
  type AccountIndex,
  EncodingError,
  type EthereumAddress,
  parseDecimal,
  type PublicKey,
  type TransactionId
} from "../encoding/mod.ts"
import { integer, oneOf, type Scalar, scalars } from "./scalar.ts"
import type { WireContext } from "./wire_context.ts"
import type { JsonSchema } from "./wire_type.ts"

/** The JSON form of a value in a request body. */
export interface BodyScalar<out T> {
  /** Its JSON type. */
  readonly json: "string" | "number"
  /** Parses the content of a string, or the digits of a number. */
  readonly parse: (text: string, network: Network) => Result.Result<T, EncodingError>
  /**
   * Formats a parsed value. `symbol` is the token of the transaction: account indexes contain it
   * for human readers.
   */
  readonly write: (context: WireContext, symbol: string) => (value: never) => string
  readonly jsonSchema: (network: Network) => JsonSchema
}

type Write<T> = (context: WireContext, symbol: string) => (value: T) => string

const string = <T>({ parse, jsonSchema }: Scalar<T>, write: Write<T>): BodyScalar<T> => ({
  json: "string",
  parse,
  jsonSchema,
  write
})
const number = <T extends number | bigint>({ parse, jsonSchema }: Scalar<T>): BodyScalar<T> => ({
  json: "number",
  parse,
  jsonSchema,
  write: () => (value: T) => String(value)
})
const asIs = () => (value: string) => value

/** Maximum amount: the greatest number in a word of a contract. */
const amountMax = 2n ** 256n - 1n
const uint64Max = 2n ** 64n - 1n

const bigInteger = (maximum: bigint, jsonSchema: JsonSchema): Scalar<bigint> => ({
  parse: (text) => parseDecimal(text, { minimum: 0n, maximum }),
  jsonSchema: () => jsonSchema
})

/** Hexadecimal digits, converted to lower case: the same bytes have the same text. */
const hexadecimal = (prefix: string, digits: number): Scalar<string> => {
  const pattern = `^${prefix}[a-fA-F0-9]{${digits}}$`
  const expression = new RegExp(pattern, "u")
  const rule = `${prefix === "" ? "" : `${prefix} and `}${digits} hexadecimal digits`
  return {
    parse: (text) =>
      expression.test(text)
        ? Result.succeed(text.toLowerCase())
        : Result.fail(new EncodingError(text, rule)),
    jsonSchema: () => ({ type: "string", pattern })
  }
}

/* The scalars of the posted bodies, with the bounds that the contract declares. */

export const transactionId: BodyScalar<TransactionId> = string(scalars.transactionId, asIs)
export const transactionType: BodyScalar<PoolTransactionType> = string(
  oneOf(poolTransactionTypes),
  asIs
)
export const tokenId: BodyScalar<number> = number(scalars.tokenId)
export const accountIndex: BodyScalar<AccountIndex> = string(
  scalars.accountIndex,
  (context, symbol) => (index) => context.accountIndex(symbol, index)
)
export const prefixedAddress: BodyScalar<EthereumAddress> = string(
  scalars.prefixedAddress,
  (context) => context.address
)
export const publicKey: BodyScalar<PublicKey> = string(
  scalars.publicKey,
  (context) => context.publicKey
)
export const amount: BodyScalar<bigint> = string(
  bigInteger(amountMax, {
    type: "string",
    pattern: "^(0|[1-9][0-9]{0,77})$",
    examples: ["1000000000000000000"]
  }),
  () => (value) => String(value)
)
/** Accepts 256, as the contract declares, although it cannot be signed. */
export const feeSelector: BodyScalar<number> = number(integer(0, 256, 204))
/** Accepts all declared values, although those from 2^40 on cannot be signed. */
export const nonce: BodyScalar<bigint> = number(
  bigInteger(uint64Max, { type: "integer", minimum: 0, maximum: uint64Max, examples: [121] })
)
/** Compressed R8, then S. */
export const signature: BodyScalar<string> = string(hexadecimal("", 128), asIs)
/** r, s, v. */
export const ethSignature: BodyScalar<string> = string(hexadecimal("0x", 130), asIs)
