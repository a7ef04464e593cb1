import * as Result from "effect/Result"
import { hexOfBytes, isHexFrom } from "./digits.ts"
import { ACCOUNT_INDEX_MAX, type AccountIndex, type Keccak256 } from "./identifiers.ts"
import { EncodingError } from "./encoding_error.ts"
import { FEE_SELECTOR_MAX, type FeeSelector } from "./fee.ts"
import { encodeFloat40 } from "./float40.ts"

/**
 * `0x` and 66 lower-case hexadecimal digits: a type byte (00 L1 user, 01 L1 coordinator, 02 L2) and
 * a hash of 32 bytes (PROTOCOL.md "Transaction id").
 */
export type TransactionId = string

/** The hashed fields of the id of an L2 transaction. The destination is not hashed. */
export interface L2TransactionIdentity {
  readonly fromAccountIndex: AccountIndex
  /** 0..2^32−1 */
  readonly tokenId: number
  /** An amount that float40 can hold exactly. */
  readonly amount: bigint
  /** 0..2^40−1 */
  readonly nonce: bigint
  readonly fee: FeeSelector
}

/**
 * Returns the id of an L1 user transaction from the number of its queue, 0..2^53−1, and its
 * position in the queue, 0..65535. Throws a RangeError for other values.
 *
 * @example
 * ```ts
 * import { l1UserTransactionId } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const id = l1UserTransactionId({ toForgeL1TransactionsNum: 3, position: 0 }, keccak256)
 * console.log(id.slice(0, 12), id.length) // => 0x00a256ee19 68
 * ```
 */
export function l1UserTransactionId(
  { toForgeL1TransactionsNum, position }: {
    readonly toForgeL1TransactionsNum: number
    readonly position: number
  },
  keccak256: Keccak256
): TransactionId {
  return l1TransactionId("0x00", toForgeL1TransactionsNum, position, keccak256)
}

/**
 * Returns the id of an L1 coordinator transaction from the number of its batch, 0..2^53−1, and its
 * position in the batch, 0..65535. Throws a RangeError for other values.
 *
 * @example
 * ```ts
 * import { l1CoordinatorTransactionId } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const id = l1CoordinatorTransactionId({ batchNum: 7, position: 0 }, keccak256)
 * console.log(id.slice(0, 12), id.length) // => 0x01446bdc27 68
 * ```
 */
export function l1CoordinatorTransactionId(
  { batchNum, position }: { readonly batchNum: number; readonly position: number },
  keccak256: Keccak256
): TransactionId {
  return l1TransactionId("0x01", batchNum, position, keccak256)
}

/**
 * Returns the id of an L2 transaction. Fails with the first field that is out of its range.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { l2TransactionId } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const identity = { fromAccountIndex: 256, tokenId: 0, amount: 7n, nonce: 0n, fee: 126 }
 * const id = Result.getOrThrow(l2TransactionId(identity, keccak256))
 * console.log(id.slice(0, 12), id.length) // => 0x0215d36da8 68
 * const invalid = l2TransactionId({ ...identity, nonce: -1n }, keccak256)
 * console.log(Result.isFailure(invalid)) // => true
 * ```
 */
export function l2TransactionId(
  { fromAccountIndex, tokenId, amount, nonce, fee }: L2TransactionIdentity,
  keccak256: Keccak256
): Result.Result<TransactionId, EncodingError> {
  if (!isWithin(fromAccountIndex, ACCOUNT_INDEX_MAX)) {
    return outside("a sender index", fromAccountIndex, ACCOUNT_INDEX_MAX)
  }
  if (!isWithin(tokenId, UINT32_MAX)) return outside("a token id", tokenId, UINT32_MAX)
  if (nonce < 0n || nonce > NONCE_MAX) return outside("a nonce", nonce, NONCE_MAX)
  if (!isWithin(fee, FEE_SELECTOR_MAX)) return outside("a fee selector", fee, FEE_SELECTOR_MAX)
  const float = encodeFloat40(amount)
  if (Result.isFailure(float)) return Result.fail(float.failure)
  writeBigEndian(L2_PAYLOAD, 0, 6, fromAccountIndex)
  writeBigEndian(L2_PAYLOAD, 6, 4, tokenId)
  writeBigEndian(L2_PAYLOAD, 10, 5, float.success)
  writeBigEndian(L2_PAYLOAD, 15, 5, Number(nonce))
  L2_PAYLOAD[20] = fee
  return Result.succeed(idOf("0x02", keccak256(L2_PAYLOAD)))
}

/**
 * Returns the canonical form of an id with digits in upper or lower case. Fails if it is not `0x`,
 * a type byte 00, 01 or 02, and 64 digits. It cannot verify the hash without the transaction.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { parseTransactionId } from "rollup-node-api"
 *
 * console.log(Result.isSuccess(parseTransactionId(`0x02${"aB".repeat(32)}`))) // => true
 * console.log(Result.isSuccess(parseTransactionId(`0x03${"aB".repeat(32)}`))) // => false
 * ```
 */
export function parseTransactionId(text: string): Result.Result<TransactionId, EncodingError> {
  return text.length === ID_LENGTH && text.startsWith("0x0") && isTypeDigit(text.charCodeAt(3)) &&
      isHexFrom(text, 4)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(
      new EncodingError(text, "0x, a type byte 00, 01 or 02, and 64 hexadecimal digits")
    )
}

// Hashing is synchronous and retains nothing, so all calls share one buffer of each kind.
const L1_PAYLOAD = new Uint8Array(10)
const L2_PAYLOAD = new Uint8Array(21)

const ID_LENGTH = 68
const UINT32_MAX = 2 ** 32 - 1
const NONCE_MAX = (1n << 40n) - 1n

function l1TransactionId(
  type: string,
  group: number,
  position: number,
  keccak256: Keccak256
): TransactionId {
  if (!isWithin(group, Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`Queue or batch number ${group}, expected 0..2^53-1`)
  }
  if (!isWithin(position, 65535)) throw new RangeError(`Position ${position}, expected 0..65535`)
  writeBigEndian(L1_PAYLOAD, 0, 8, group)
  writeBigEndian(L1_PAYLOAD, 8, 2, position)
  return idOf(type, keccak256(L1_PAYLOAD))
}

function idOf(type: string, digest: Uint8Array): TransactionId {
  return type + hexOfBytes(digest)
}

function writeBigEndian(bytes: Uint8Array, offset: number, length: number, value: number): void {
  let low = value >>> 0
  let high = (value - low) / 2 ** 32
  for (let i = offset + length - 1; i >= offset; i--) {
    bytes[i] = low
    low = (low >>> 8) | (high << 24)
    high >>>= 8
  }
}

function isWithin(value: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maximum
}

function isTypeDigit(code: number): boolean {
  return code >= 48 && code <= 50
}

function outside(
  subject: string,
  value: number | bigint,
  maximum: number | bigint
): Result.Result<never, EncodingError> {
  return Result.fail(new EncodingError(String(value), `${subject} from 0 to ${maximum}`))
}
