import type { EthereumAddress, PublicKey } from "../../encoding/mod.ts"
import { poolStates, poolTransactionTypes, transactionTypes } from "../../domain/mod.ts"
import { rfc3339 } from "./_date_time.ts"
import type { WireContext } from "../wire_context.ts"
import { enumType, integerType, numberType, textType } from "../wire_type.ts"

/* The scalar types of the contract, with the bounds it declares. */

const uint32 = 4294967295n
/** The contract writes this bound as 1.84467440737096e+19. */
const uint64 = 18446744073709551615n
const safe = BigInt(Number.MAX_SAFE_INTEGER)

export const itemId = integerType<number>(0n, safe, {
  doc: "Position of the item in its list. Grows, and is never used twice",
  example: 87
})
export const tokenId = integerType<number>(0n, uint32, {
  doc: "Identifier of a registered token",
  example: 5
})
export const batchNum = integerType<number>(0n, uint32, {
  doc: "Number of a batch; the first one is 1",
  example: 5432
})
export const slotNum = integerType<number>(0n, uint32, { doc: "Number of a slot", example: 784 })
export const queueNum = integerType<number>(0n, uint32, {
  doc: "Number of a queue of L1 transactions",
  example: 784
})
export const position = integerType<number>(0n, safe, {
  doc: "Position of the transaction in its batch, for an L1 user transaction in its queue",
  example: 5
})
export const ethBlockNum = integerType<bigint>(0n, uint64, {
  doc: "Ethereum block number",
  example: 762375478
})
export const nonce = integerType<bigint>(0n, uint64, {
  doc: "Number of transactions that the account has sent",
  example: 121
})
export const feeSelector = integerType<number>(0n, 256n, {
  doc: "Index into the table of fee factors",
  example: 36
})
export const count = integerType<number>(0n, safe)
export const countBig = integerType<bigint>(0n, uint64)

/** An exact integer as a decimal string. */
export const bigInt = textType<bigint>(() => (value) => String(value), {
  plain: true,
  pattern: "^\\d+$",
  doc: "An integer of any size, as a decimal string",
  example: "8708856933496328593"
})

export const address = textType<EthereumAddress>(() => (value) => value, {
  plain: true,
  pattern: "^0x[a-fA-F0-9]{40}$",
  doc: "Ethereum address",
  example: "0xaa942cfcd25ad4d90a62358b0dd84f33b398262a"
})
export const prefixedAddress = textType<EthereumAddress>((context) => context.address, {
  plain: true,
  patternOf: ({ network }) => `^${network.prefix}:0x[a-fA-F0-9]{40}$`,
  doc: "Ethereum address of an account owner, in mixed case"
})
export const publicKey = textType<PublicKey>((context) => context.publicKey, {
  plain: true,
  patternOf: ({ network }) => `^${network.prefix}:[A-Za-z0-9_-]{44}$`,
  doc: "Compressed BabyJubJub key: base64url of its 32 bytes and the byte sum of them"
})

/** Returns the text before the number, escaped once for each symbol: a token may have any name. */
const accountPrefix = (context: WireContext) => {
  const known = new Map<string, string>()
  return (symbol: string) => {
    let text = known.get(symbol)
    if (text === undefined) {
      known.set(symbol, text = JSON.stringify(context.accountIndex(symbol, 0)).slice(1, -2))
    }
    return text
  }
}

/** An account index and the symbol of its token, which is for human readers. */
export const accountIndex = textType<{ readonly symbol: string; readonly index: number }>(
  (context) => {
    const before = accountPrefix(context)
    return ({ symbol, index }) => before(symbol) + index
  },
  {
    plain: true,
    patternOf: ({ network }) => `^${network.prefix}:[\\s\\S]*:\\d+$`,
    doc: "Account: prefix, token symbol and index; index 0 is none, 1 is the exit"
  }
)

export const transactionId = textType<string>(() => (value) => value, {
  plain: true,
  pattern: "^0x[a-fA-F0-9]{66}$",
  doc: "Identifier of a transaction"
})
export const hash = textType<string>(() => (value) => value, {
  plain: true,
  pattern: "^0x[a-fA-F0-9]{64}$",
  doc: "Hash of an Ethereum block"
})
export const signature = textType<string>(() => (value) => value, {
  plain: true,
  pattern: "^[a-fA-F0-9]{128}$",
  doc: "Compressed BabyJubJub signature"
})
export const ethSignature = textType<string>(() => (value) => value, {
  plain: true,
  pattern: "^0x[a-fA-F0-9]{130}$",
  doc: "Ethereum signature: r, s, v"
})

/** Any text; it is escaped. */
export const text = textType<string>(() => (value) => value, { plain: false })
export const url = textType<string>(() => (value) => value, {
  plain: false,
  doc: "Where the coordinator can be reached"
})

/** Milliseconds since 1970 inside, RFC 3339 in UTC outside. */
export const dateTime = textType<number>(rfc3339, {
  plain: true,
  format: "date-time",
  pattern: "^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$"
})

export const usd = numberType({ minimum: 0, doc: "US dollars" })
export const number = numberType({ minimum: 0 })
export const transactionType = enumType(transactionTypes, "Type of transaction")
export const poolTransactionType = enumType(poolTransactionTypes, "Type of L2 transaction")
export const poolState = enumType(
  poolStates,
  "pend: pending, fing: forging, fged: forged, invl: invalid"
)
export const layer = enumType(["L1", "L2"])
