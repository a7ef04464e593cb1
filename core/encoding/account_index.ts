import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"
import { parseDecimalNumber } from "./integer.ts"

/** The number of an account in the state tree, 0..2^48−1 (six bytes). */
export type AccountIndex = number

/** The highest account index. */
export const ACCOUNT_INDEX_MAX: AccountIndex = 2 ** 48 - 1

/** No account: the destination of a deposit, the sender of an account creation. */
export const NO_ACCOUNT: AccountIndex = 0

/** The destination of an exit. */
export const EXIT_ACCOUNT: AccountIndex = 1

/** Indexes below are reserved; user accounts are numbered consecutively from here. */
export const FIRST_USER_ACCOUNT: AccountIndex = 256

/** Whether the index belongs to an account that a user can own. */
export function isUserAccount(index: AccountIndex): boolean {
  return index >= FIRST_USER_ACCOUNT
}

/** Reads `<prefix>:<symbol>:<index>`; the symbol is informational, any text without a colon, so `EXIT:1` and `ETH:1` are the same index. */
export function parseAccountIndex(
  prefix: string,
  text: string
): Result.Result<AccountIndex, EncodingError> {
  const symbolStart = prefix.length + 1
  const symbolEnd = text.indexOf(":", symbolStart)
  if (symbolEnd > symbolStart && text.startsWith(prefix) && text[prefix.length] === ":") {
    // a third colon is no digit, so the number refuses it
    const index = parseDecimalNumber(text.slice(symbolEnd + 1), BOUNDS)
    if (Result.isSuccess(index)) return index
  }
  return Result.fail(
    new EncodingError(text, `${prefix}:<symbol>:<decimal index from 0 to ${ACCOUNT_INDEX_MAX}>`)
  )
}

/** `<prefix>:<symbol>:<index>`; reads back only while the symbol is not empty and holds no colon. */
export function formatAccountIndex(prefix: string, symbol: string, index: AccountIndex): string {
  return `${prefix}:${symbol}:${index}`
}

const BOUNDS = { minimum: 0, maximum: ACCOUNT_INDEX_MAX }
