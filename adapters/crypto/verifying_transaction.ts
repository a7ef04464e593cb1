import type { SignedTransaction } from "../../core/ports/mod.ts"
import { EncodingError, type PublicKey } from "../../core/encoding/mod.ts"
import { poseidon } from "./poseidon.ts"
import { transactionElements } from "./signing_transaction.ts"
import { verifyMessage } from "./verifying.ts"

/**
 * Whether the transaction carries a signature by the key, that of its sender's account. False as well for what cannot be signed, such as
 * an amount that float40 does not hold. The id is not signed: whoever takes the transaction computes it.
 */
export function verifyTransaction(
  publicKey: PublicKey,
  transaction: SignedTransaction,
  chainId: number
): boolean {
  const elements = signedElements(transaction, chainId)
  return elements !== undefined && verifyElements(publicKey, elements, transaction.signature)
}

/** What the signature is of, or undefined where the transaction cannot be signed. */
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

export function verifyElements(
  publicKey: PublicKey,
  elements: ReadonlyArray<bigint>,
  signature: string
): boolean {
  return verifyMessage(publicKey, poseidon(elements), signature)
}
