import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"
import { parseDecimalNumber } from "./integer.ts"

/** The number of an account in the state tree, 0..2^48−1 (six bytes). */
export type AccountIndex = number

/** The greatest account index. */
export const ACCOUNT_INDEX_MAX: AccountIndex = 2 ** 48 - 1

/** Means "no account": the destination of a deposit, or the sender of an account creation. */
export const NO_ACCOUNT: AccountIndex = 0

/** The destination of an exit. */
export const EXIT_ACCOUNT: AccountIndex = 1

/** The first account of a user; lower indexes are reserved. */
export const FIRST_USER_ACCOUNT: AccountIndex = 256

/** Returns whether a user can own an account with this index. */
export function isUserAccount(index: AccountIndex): boolean {
  return index >= FIRST_USER_ACCOUNT
}

/**
 * Parses `<prefix>:<symbol>:<index>`. The symbol is any text without a colon and has no meaning:
 * `zk:EXIT:1` and `zk:ETH:1` are the same index.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { formatAccountIndex, parseAccountIndex } from "rollup-node-api"
 *
 * console.log(Result.getOrThrow(parseAccountIndex("zk", "zk:ETH:256"))) // => 256
 * console.log(formatAccountIndex("zk", "ETH", 256)) // => zk:ETH:256
 * console.log(Result.isFailure(parseAccountIndex("zk", "other:ETH:256"))) // => true
 * ```
 */
export function parseAccountIndex(
  prefix: string,
  text: string
): Result.Result<AccountIndex, EncodingError> {
  const symbolStart = prefix.length + 1
  const symbolEnd = text.indexOf(":", symbolStart)
  if (symbolEnd > symbolStart && text.startsWith(prefix) && text[prefix.length] === ":") {
    // if there is a third colon, the number is not decimal
    const index = parseDecimalNumber(text.slice(symbolEnd + 1), BOUNDS)
    if (Result.isSuccess(index)) return index
  }
  return Result.fail(
    new EncodingError(text, `${prefix}:<symbol>:<decimal index from 0 to ${ACCOUNT_INDEX_MAX}>`)
  )
}

/**
 * Returns `<prefix>:<symbol>:<index>`. `parseAccountIndex` accepts it if the symbol is not empty
 * and contains no colon.
 */
export function formatAccountIndex(prefix: string, symbol: string, index: AccountIndex): string {
  return `${prefix}:${symbol}:${index}`
}

const BOUNDS = { minimum: 0, maximum: ACCOUNT_INDEX_MAX }
