import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { PostedGroup, PostedTransaction, RequestedTransaction } from "../../core/domain/mod.ts"
import { groupId } from "../../core/encoding/mod.ts"

/** Returns the id of the group of these transactions. */
export const idOfGroup = (transactions: ReadonlyArray<Pick<PostedTransaction, "id">>) =>
  groupId(transactions.map(({ id }) => id), keccak256)

/** Returns the request fields that name a transaction. */
export const requestOf = (
  { amount, fee, fromAccountIndex, nonce, toAccountIndex, toAddress, toPublicKey, tokenId }:
    PostedTransaction
): RequestedTransaction => ({
  amount,
  fee,
  fromAccountIndex,
  nonce,
  toAccountIndex,
  toAddress,
  toPublicKey,
  tokenId
})

/**
 * Returns a group of these transactions in which all are connected, whatever their number: those at
 * even positions require the one two positions later, those at odd ones two positions earlier.
 */
export const groupOf = (transactions: ReadonlyArray<PostedTransaction>): PostedGroup => {
  const { length } = transactions
  const next = (position: number): number =>
    position % 2 === 0
      ? position + 2 < length ? position + 2 : position + 1 < length ? position + 1 : position - 1
      : Math.max(0, position - 2)
  return {
    id: idOfGroup(transactions),
    transactions: transactions.map((transaction, position) => ({
      ...transaction,
      request: requestOf(transactions[next(position)]!),
      requestOffset: (next(position) - position + 8) % 8
    }))
  }
}
