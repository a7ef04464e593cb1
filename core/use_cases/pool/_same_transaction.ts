import { Equal } from "effect"
import type {
  PostedAuthorization,
  PostedTransaction,
  RequestedTransaction,
  Transaction
} from "../../domain/mod.ts"
import { EXIT_ACCOUNT, leafKey } from "../../encoding/mod.ts"

/** Returns whether two posted transactions with the same id are equal in all other fields. */
export const isSamePosted = (a: PostedTransaction, b: PostedTransaction): boolean =>
  a.type === b.type && a.signature === b.signature && isSameDestination(a, b) &&
  (a.maxNumBatch ?? 0) === (b.maxNumBatch ?? 0) && Equal.equals(a.request, b.request)

/** Returns whether two authorizations of the same address are equal. */
export const isSameAuthorization = (a: PostedAuthorization, b: PostedAuthorization): boolean =>
  a.publicKey === b.publicKey && a.signature === b.signature

/**
 * Returns whether a forged transaction with the same id is this one. The destination can differ,
 * since the id does not cover it.
 */
export function isForgedAs(
  { toAccountIndex, toAddress, toPublicKey, type }: PostedTransaction,
  forged: Transaction
): boolean {
  switch (type) {
    case "Exit":
      return forged.toAccountIndex === EXIT_ACCOUNT
    case "Transfer":
      return forged.toAccountIndex === toAccountIndex
    case "TransferToEthAddr":
      return forged.toAddress === toAddress
    case "TransferToBJJ":
      return forged.toAddress === toAddress && hasLeafKey(forged, toPublicKey)
  }
}

const hasLeafKey = ({ toPublicKey: forged }: Transaction, posted: string | null): boolean =>
  forged !== null && posted !== null && leafKey(forged) === leafKey(posted)

/** Returns whether a transaction is the requested one. */
export const isRequested = (posted: PostedTransaction, request: RequestedTransaction): boolean =>
  posted.fromAccountIndex === request.fromAccountIndex && posted.tokenId === request.tokenId &&
  posted.amount === request.amount &&
  posted.fee === request.fee && posted.nonce === request.nonce &&
  (posted.toAccountIndex ?? 0) === (request.toAccountIndex ?? 0) &&
  posted.toAddress === request.toAddress && posted.toPublicKey === request.toPublicKey

const isSameDestination = (a: PostedTransaction, b: PostedTransaction): boolean =>
  a.toAccountIndex === b.toAccountIndex && a.toAddress === b.toAddress &&
  a.toPublicKey === b.toPublicKey
