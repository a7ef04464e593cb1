import { Result, Schema } from "effect"
import { values } from "../../domain/mod.ts"
import {
  ACCOUNT_INDEX_MAX,
  type AccountIndex,
  type EthereumAddress,
  type GroupId,
  parseAccountIndex,
  parseEthereumAddress,
  parsePrefixedAddress,
  parsePublicKey,
  parseTransactionId,
  symbolOfAccountIndex,
  type PublicKey,
  type TransactionId
} from "../../encoding/mod.ts"
import type { WireContext } from "../wire_context.ts"
import { listOf } from "./_list_of.ts"
import {
  baseCurrency,
  boolean,
  currencyCode,
  filledText,
  poolState,
  poolTransactionType,
  transactionType
} from "./_texts.ts"
import {
  bigInteger,
  decimalText,
  dateTimeFormat,
  dateTimeWriter,
  hexadecimal,
  integer,
  matching,
  parseDateTime,
  quantity,
  scalar
} from "./_scalar.ts"
import { type JsonForm, type Scalar, type Spelling, type ValueOf, wireForm } from "./wire_form.ts"

/*
 * Every scalar of the contract, with the bounds that it declares. The examples of identifiers exist in
 * the simulated network of seed 1, so that a documentation page can send them.
 */
export * from "./_texts.ts"

export const itemId: Scalar<number> = integer(values.safeInteger, {
  description: "Position of the item in its list; increases and is never reused",
  example: 87
})
export const tokenId: Scalar<number> = integer(values.uint32, {
  description: "Identifier of a registered token; 0 is ether",
  example: 0
})
export const batchNum: Scalar<number> = integer(values.uint32, {
  description: "Number of a batch; the first one is 1",
  example: 11
})
export const slotNum: Scalar<number> = integer(values.uint32, {
  description: "Number of a slot",
  example: 784
})
export const queueNum: Scalar<number> = integer(values.uint32, {
  description: "Number of a queue of L1 transactions",
  example: 784
})
export const position: Scalar<number> = integer(values.safeInteger, {
  description: "Position of the transaction in its batch; in its queue for an L1 user transaction",
  example: 5
})
export const ethBlockNum: Scalar<bigint> = bigInteger(values.uint64, {
  description: "Ethereum block number",
  example: 762375478n
})
/** Accepts all declared values, although nonces from 2^40 on cannot be signed. */
export const nonce: Scalar<bigint> = bigInteger(values.uint64, {
  description: "Number of transactions that the account has sent",
  example: 121n
})
/** Accepts 256, as the contract declares; a post with it is refused, since one byte is signed. */
export const feeSelector: Scalar<number> = integer(values.integer(0, 256), {
  description: "Index into the table of fee factors",
  example: 204
})
/** Position of a required transaction relative to the one that requires it; 0 for none. */
export const positionInGroup: Scalar<number> = integer(values.integer(0, 7))
/** Whether the leaf of a Merkle proof is in its tree, as the circuit encodes it. */
export const proofFunction: Scalar<number> = integer(values.integer(0, 3))
export const count: Scalar<number> = integer(values.safeInteger)
export const bigCount: Scalar<bigint> = bigInteger(values.uint64)

export const amount: Scalar<bigint> = decimalText(values.uint256, {
  description: "Units of the token, as a decimal string",
  example: 1000000000000000000n
})
/** Amounts and field elements of answers; the feed bounds them to 78 digits. */
export const bigInt: Scalar<bigint> = decimalText(values.digits78, {
  description: "An integer of any size, as a decimal string",
  example: 8708856933496328593n
})

/** The same values as JSON numbers with all their digits. */
export const bigNumber: Scalar<bigint> = bigInteger(values.digits78, {
  description: "An integer of any size, as a number with all its digits",
  example: 1000000000000n
})

/** The bidder of a coordinator. */
const sampleAddress = "0x0422216cbebeb21b5dc6e452054a948b021d8785"
export const ethereumAddress: Scalar<EthereumAddress> = scalar({
  domain: values.ethereumAddress,
  parse: () => parseEthereumAddress,
  encoded: () => matching("^0x[a-fA-F0-9]{40}$"),
  description: "Ethereum address",
  example: sampleAddress
})
export const prefixedAddress: Scalar<EthereumAddress> = scalar({
  domain: values.ethereumAddress,
  parse: ({ network: { prefix } }) => (text) => parsePrefixedAddress(prefix, text),
  format: (context) => context.address,
  write: (context) => context.addressJson,
  encoded: ({ network: { prefix } }) => matching(`^${prefix}:0x[a-fA-F0-9]{40}$`),
  description: "Ethereum address of an account owner; answers have the checksum of EIP-55",
  example: "0x2603f3ef44be99b716f11f263349f706ff1a5806"
})
export const publicKey: Scalar<PublicKey> = scalar({
  domain: values.publicKey,
  parse: ({ network: { prefix } }) => (text) => parsePublicKey(prefix, text),
  format: (context) => context.publicKey,
  write: (context) => context.publicKeyJson,
  encoded: ({ network: { prefix } }) => matching(`^${prefix}:[A-Za-z0-9_-]{44}$`),
  description: "Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum",
  example: "d8f69c6f29fbb340a75799fbfa89e39f09e7c5f1cd9c2daf889f0caf57d44c0d"
})

/** An account index in a request. The use cases compare the symbol in its text. */
const accountIndexParser = ({ network: { prefix } }: WireContext, spelling?: Spelling) => {
  const options = { allowsLeadingZeros: spelling === "lenient" }
  return (text: string) => parseAccountIndex(prefix, text, options)
}
export const accountIndex: Scalar<AccountIndex> = scalar({
  domain: values.accountIndex,
  parse: accountIndexParser,
  format: (context) => (index) => context.accountIndex("ETH", index),
  isEscaped: true,
  encoded: ({ network: { prefix } }) => matching(`^${prefix}:[\\s\\S]*:(0|[1-9][0-9]{0,14})$`),
  description: `Account: prefix, token symbol and index; the index is at most ${ACCOUNT_INDEX_MAX}`,
  example: 280
})

/** An account index and the symbol of its token. */
export interface AccountReference {
  readonly symbol: string
  readonly index: AccountIndex
}
/** Escapes the text before the number once for each symbol. */
const accountReferenceWriter = (context: WireContext) => {
  const prefixes = new Map<string, string>()
  return ({ symbol, index }: AccountReference) => {
    let prefix = prefixes.get(symbol)
    if (prefix === undefined) {
      prefixes.set(symbol, prefix = JSON.stringify(context.accountIndex(symbol, 0)).slice(0, -2))
    }
    return `${prefix}${index}"`
  }
}
/** An account index in an answer. */
export const accountReference: Scalar<AccountReference> = scalar({
  domain: Schema.Struct({ symbol: Schema.String, index: values.accountIndex }).annotate({
    expected: "a token symbol and an account index"
  }),
  parse: (context, spelling) => {
    const parse = accountIndexParser(context, spelling)
    return (text) =>
      Result.map(parse(text), (index) => ({ symbol: symbolOfAccountIndex(text), index }))
  },
  format: (context) => ({ symbol, index }) => context.accountIndex(symbol, index),
  write: accountReferenceWriter,
  encoded: ({ network: { prefix } }) => matching(`^${prefix}:[\\s\\S]*:\\d+$`),
  description: "Account: prefix, token symbol and index; index 0 is none, 1 is the exit",
  example: { symbol: "DAI", index: 4444 }
})

export const transactionId: Scalar<TransactionId> = scalar({
  domain: values.transactionId,
  parse: (_, spelling) =>
    spelling === "lenient"
      ? (text) => parseTransactionId(text.startsWith("0x") ? text : `0x${text}`)
      : parseTransactionId,
  encoded: () => matching("^0x0[0-2][a-fA-F0-9]{64}$"),
  description: "Identifier of a transaction",
  example: "0x00e979da4b80d60a17ce56fa19278c6f3a7e1b43359fb8a8ea46d0264de7d653ab"
})
export const groupId: Scalar<GroupId> = hexadecimal(values.hash, {
  description: "Identifier of an atomic group",
  example: `0x${"0b3d5f01".repeat(8)}`
})
export const hash: Scalar<string> = hexadecimal(values.hash, {
  description: "Hash of an Ethereum block",
  example: `0x${"22aec942".repeat(8)}`
})
const zeroHash = `0x${"0".repeat(64)}`
/** A hash that the feed may lack: zero if it is null, since the published clients allow no null. */
export const knownHash: Schema.Codec<string | null> = Schema.NullOr(values.hash).annotate({
  jsonForm: {
    write: () => (hash) => `"${hash ?? zeroHash}"`,
    codec: wireForm(hash).codec
  } satisfies JsonForm<string | null>
})
export const signature: Scalar<string> = hexadecimal(values.signature, {
  description: "Compressed BabyJubJub signature: R8, then S",
  example: "22aec942".repeat(16)
})
export const ethSignature: Scalar<string> = hexadecimal(values.ethSignature, {
  description: "Ethereum signature: r, s, v",
  example: `0x${"22aec942".repeat(16)}1b`
})

/** Milliseconds since 1970 in memory, RFC 3339 in UTC on the wire. */
export const dateTime: Scalar<number> = scalar({
  domain: values.estimatedTimeMs,
  parse: () => parseDateTime,
  format: dateTimeFormat,
  write: dateTimeWriter,
  encoded: () =>
    matching("^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$", { format: "date-time" }),
  example: Date.UTC(2021, 2, 5, 14, 41, 59)
})

/** Amounts by the identifiers of their tokens. */
export const tokenAmounts: Schema.Codec<ReadonlyArray<readonly [number, bigint]>> = Schema.Array(
  Schema.Tuple([values.uint32, values.digits78])
).annotate({
  jsonForm: {
    write: () => (amounts) =>
      `{${amounts.map(([token, amount]) => `"${token}":"${amount}"`).join(",")}}`,
    codec: (context, description) =>
      Schema.Record(Schema.String, wireForm(bigInt).codec(context)).annotate(
        description === undefined ? {} : { description }
      )
  } satisfies JsonForm<ReadonlyArray<readonly [number, bigint]>>
})

export const usd: Scalar<number> = quantity({ description: "US dollars" })
export const number: Scalar<number> = quantity()
export const tokenIds: Scalar<ReadonlyArray<number>> = listOf(
  tokenId,
  "token identifiers separated by commas",
  [0, 1, 2]
)
export const tokenSymbols: Scalar<ReadonlyArray<string>> = listOf(
  filledText,
  "token symbols separated by commas",
  ["ETH", "DAI"]
)
export const currencyCodes: Scalar<ReadonlyArray<string>> = listOf(
  currencyCode,
  "currency codes separated by commas",
  ["EUR", "CNY"]
)

export const ethereumAddresses: Scalar<ReadonlyArray<EthereumAddress>> = listOf(
  ethereumAddress,
  "Ethereum addresses separated by commas",
  [sampleAddress]
)

/** The scalars of filters and path parameters. Declarations refer to them by name. */
export const scalars = {
  tokenId,
  tokenIds,
  tokenSymbols,
  currencyCode,
  currencyCodes,
  baseCurrency,
  text: filledText,
  batchNum,
  slotNum,
  nonce,
  accountIndex,
  ethereumAddress,
  ethereumAddresses,
  prefixedAddress,
  publicKey,
  transactionId,
  groupId,
  transactionType,
  poolTransactionType,
  poolState,
  boolean
}
export type ScalarName = keyof typeof scalars
/** The values in memory of the scalars, by name. */
export type ScalarValues = { readonly [S in ScalarName]: ValueOf<typeof scalars[S]> }
