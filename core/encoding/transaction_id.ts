import * as Result from "effect/Result"
import { HEX_OF_BYTE, isHexFrom } from "./_hex.ts"
import { ACCOUNT_INDEX_MAX, type AccountIndex } from "./account_index.ts"
import { EncodingError } from "./encoding_error.ts"
import { FEE_SELECTOR_MAX, type FeeSelector } from "./fee.ts"
import { encodeFloat40 } from "./float40.ts"
import type { Keccak256 } from "./keccak256.ts"

/** A type byte (00 L1 user, 01 L1 coordinator, 02 L2) and 32 bytes of hash: `0x` and 66 lower-case hexadecimal digits. */
export type TransactionId = string

/** What the id of an L2 transaction covers; the destination is not part of it. */
export interface L2TransactionIdentity {
  readonly fromAccountIndex: AccountIndex
  /** 0..2^32−1 */
  readonly tokenId: number
  /** An amount that float40 holds exactly. */
  readonly amount: bigint
  /** 0..2^40−1 */
  readonly nonce: bigint
  readonly fee: FeeSelector
}

/** The id of a user's L1 transaction: queue number 0..2^53−1 and position in it 0..65535; throws a RangeError outside. */
export function l1UserTransactionId(
  { toForgeL1TransactionsNum, position }: {
    readonly toForgeL1TransactionsNum: number
    readonly position: number
  },
  keccak256: Keccak256
): TransactionId {
  return l1TransactionId("0x00", toForgeL1TransactionsNum, position, keccak256)
}

/** The id of a coordinator's L1 transaction: batch number 0..2^53−1 and position in it 0..65535; throws a RangeError outside. */
export function l1CoordinatorTransactionId(
  { batchNum, position }: { readonly batchNum: number; readonly position: number },
  keccak256: Keccak256
): TransactionId {
  return l1TransactionId("0x01", batchNum, position, keccak256)
}

/** The id of an L2 transaction; fails on the first field that has no place in what is hashed. */
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

/** Reads an id, digits of either case; the hash itself cannot be verified without the transaction. */
export function parseTransactionId(text: string): Result.Result<TransactionId, EncodingError> {
  return text.length === ID_LENGTH && text.startsWith("0x0") && isTypeDigit(text.charCodeAt(3)) &&
      isHexFrom(text, 4)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(
      new EncodingError(text, "0x, a type byte 00, 01 or 02, and 64 hexadecimal digits")
    )
}

// Hashing is synchronous and keeps nothing, so one buffer of each kind serves every call.
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
  let text = type
  for (let i = 0; i < 32; i++) text += HEX_OF_BYTE[digest[i]!]
  return text
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
