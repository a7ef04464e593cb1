import * as Result from "effect/Result"
import type { PoolTransaction } from "../../core/domain/mod.ts"
import {
  addressNumber,
  encodeFloat40,
  EncodingError,
  type EthereumAddress,
  type PublicKey,
  publicKeyParts
} from "../../core/encoding/mod.ts"
import { poseidon } from "./poseidon.ts"
import { signMessage } from "./signing.ts"

/** What the signature of an L2 transaction covers: all but its id, type and what happens to it in the pool. */
export interface SignableTransaction extends
  Pick<
    PoolTransaction,
    | "tokenId"
    | "fromAccountIndex"
    | "toAccountIndex"
    | "toAddress"
    | "toPublicKey"
    | "amount"
    | "fee"
    | "nonce"
    | "request"
  >
{
  /** Last batch that may forge the transaction, 0..2^32−1; none where absent. */
  readonly maxNumBatch?: number
}

/**
 * The six field elements that are hashed (domain §6.5, HEAD). Throws an EncodingError on an amount that float40 does not hold and on any
 * other field that is wider than its place, which would overwrite its neighbour: two transactions would share a signature.
 */
export function transactionElements(
  transaction: SignableTransaction,
  chainId: number
): ReadonlyArray<bigint> {
  const { amount, fromAccountIndex, maxNumBatch, request, toAddress, toPublicKey } = transaction
  const data = pack([
    [signBit(toPublicKey), 8],
    [transaction.fee, 8],
    [transaction.nonce, 40],
    [transaction.tokenId, 32],
    [transaction.toAccountIndex ?? 0, 48],
    [fromAccountIndex, 48],
    [chainId, 16],
    [SIGNATURE_CONSTANT, 32]
  ])
  const requested = request === null ? 0n : pack([
    [signBit(request.toPublicKey), 8],
    [request.fee ?? 0, 8],
    [request.nonce ?? 0n, 40],
    [request.tokenId ?? 0, 32],
    [floatOf(request.amount ?? 0n), 40],
    [request.toAccountIndex ?? 0, 48],
    [request.fromAccountIndex ?? 0, 48]
  ])
  return [
    data,
    pack([[maxNumBatch ?? 0, 32], [floatOf(amount), 40], [numberOf(toAddress), 160]]),
    yOf(toPublicKey),
    requested,
    numberOf(request?.toAddress ?? null),
    yOf(request?.toPublicKey ?? null)
  ]
}

/** The field element that the sender signs. */
export function transactionHash(transaction: SignableTransaction, chainId: number): bigint {
  return poseidon(transactionElements(transaction, chainId))
}

/** The sender's signature: 128 hexadecimal digits. */
export function signTransaction(
  privateKey: Uint8Array,
  transaction: SignableTransaction,
  chainId: number
): string {
  return signMessage(privateKey, transactionHash(transaction, chainId))
}

/** 0xC60BE60F, which tells these messages from others. */
const SIGNATURE_CONSTANT = 0xc60be60f

/** Big-endian fields one after another as one number. */
function pack(fields: ReadonlyArray<readonly [value: number | bigint, bits: number]>): bigint {
  let packed = 0n
  for (const [value, bits] of fields) {
    if (value < 0 || value >= 2 ** bits) throw new EncodingError(String(value), `0..2^${bits}-1`)
    packed = (packed << BigInt(bits)) | BigInt(value)
  }
  return packed
}

function floatOf(amount: bigint): number {
  return Result.getOrThrow(encodeFloat40(amount))
}

function numberOf(address: EthereumAddress | null): bigint {
  return address === null ? 0n : addressNumber(address)
}

function signBit(key: PublicKey | null): number {
  return key !== null && publicKeyParts(key).sign ? 1 : 0
}

function yOf(key: PublicKey | null): bigint {
  return key === null ? 0n : publicKeyParts(key).y
}
