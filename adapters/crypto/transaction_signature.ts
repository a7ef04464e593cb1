import * as Result from "effect/Result"
import {
  encodeFloat40,
  EncodingError,
  type EthereumAddress,
  leafKey,
  type PublicKey,
  publicKeyParts
} from "../../core/encoding/mod.ts"
import type { SignedTransaction } from "../../core/ports/mod.ts"
import { signerOf, verifyMessage } from "./message_signature.ts"
import { poseidon } from "./poseidon.ts"

/**
 * The signed fields of an L2 transaction. Its id, its type and its state in the pool are not
 * signed.
 */
export interface SignableTransaction extends Omit<SignedTransaction, "signature"> {}

/**
 * Returns the six field elements whose hash is signed (PROTOCOL.md "Transaction signature"). Throws an
 * `EncodingError` if float40 cannot hold an amount exactly, or if another field is wider than its
 * slot: it would overwrite its neighbour, and two transactions would share a signature.
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

/**
 * Returns the field element that the sender signs: the hash of `transactionElements`. Throws as
 * `transactionElements` does.
 *
 * @example
 * ```ts
 * import { signerOf, signTransaction, transactionHash } from "rollup-node-api/crypto"
 *
 * const receiver = { toAccountIndex: 257, toAddress: null, toPublicKey: null }
 * const sender = { fromAccountIndex: 256, nonce: 0n }
 * const transfer = { ...sender, ...receiver, tokenId: 0, amount: 7n, fee: 126, request: null }
 * const key = new Uint8Array(32).fill(1)
 * const signature = signerOf(key)(transactionHash(transfer, 1))
 * console.log(signTransaction(key, transfer, 1) === signature) // => true
 * ```
 */
export function transactionHash(transaction: SignableTransaction, chainId: number): bigint {
  return poseidon(transactionElements(transaction, chainId))
}

/**
 * Returns the signature of the sender: 128 hexadecimal digits. Throws as `transactionElements`
 * does.
 *
 * @example
 * ```ts
 * import { signTransaction } from "rollup-node-api/crypto"
 *
 * const key = new Uint8Array(32).fill(1)
 * const receiver = { toAccountIndex: 257, toAddress: null, toPublicKey: null }
 * const sender = { fromAccountIndex: 256, nonce: 0n }
 * const transfer = { ...sender, ...receiver, tokenId: 0, amount: 7n, fee: 126, request: null }
 * const signature = signTransaction(key, transfer, 1)
 * console.log(signature.slice(0, 8), signature.length) // => db69d0f1 128
 * ```
 */
export function signTransaction(
  privateKey: Uint8Array,
  transaction: SignableTransaction,
  chainId: number
): string {
  return signerOf(privateKey)(transactionHash(transaction, chainId))
}

/**
 * Returns whether the key of the sender's account signed the transaction: as in the circuits, the
 * key that the leaf of the account holds. Returns false if the transaction cannot be signed, for
 * example if float40 cannot hold its amount exactly. The id is not signed: compute it with
 * `l2TransactionId`.
 *
 * @example
 * ```ts
 * import { derivePublicKey, signTransaction, verifyTransaction } from "rollup-node-api/crypto"
 *
 * const key = new Uint8Array(32).fill(1)
 * const receiver = { toAccountIndex: 257, toAddress: null, toPublicKey: null }
 * const sender = { fromAccountIndex: 256, nonce: 0n }
 * const transfer = { ...sender, ...receiver, tokenId: 0, amount: 7n, fee: 126, request: null }
 * const signed = { ...transfer, signature: signTransaction(key, transfer, 1) }
 * const publicKey = derivePublicKey(key)
 * console.log(verifyTransaction(publicKey, signed, 1)) // => true
 * console.log(verifyTransaction(publicKey, { ...signed, amount: 8n }, 1)) // => false
 * ```
 */
export function verifyTransaction(
  publicKey: PublicKey,
  transaction: SignedTransaction,
  chainId: number
): boolean {
  const elements = signedElements(transaction, chainId)
  return elements !== undefined && verifyElements(publicKey, elements, transaction.signature)
}

/** Returns the signed field elements, or undefined if the transaction cannot be signed. */
export function signedElements(
  transaction: SignedTransaction,
  chainId: number
): ReadonlyArray<bigint> | undefined {
  try {
    return transactionElements(transaction, chainId)
  } catch (error) {
    if (error instanceof EncodingError) return undefined
    throw error
  }
}

/** Like `verifyTransaction`, for the result of `signedElements`. */
export function verifyElements(
  publicKey: PublicKey,
  elements: ReadonlyArray<bigint>,
  signature: string
): boolean {
  return verifyMessage(leafKey(publicKey), poseidon(elements), signature)
}

/** Distinguishes signed transactions from other signed messages. */
const SIGNATURE_CONSTANT = 0xc60be60f

/** Concatenates big-endian fields into one number. */
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
  return address === null ? 0n : BigInt(address)
}

function signBit(key: PublicKey | null): number {
  return key !== null && publicKeyParts(key).sign ? 1 : 0
}

function yOf(key: PublicKey | null): bigint {
  return key === null ? 0n : publicKeyParts(leafKey(key)).y
}
