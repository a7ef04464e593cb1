import {
  type Account,
  type AccountView,
  type AuctionClock,
  type Exit,
  type ExitView,
  mayNameOtherTokens,
  type SlotView,
  slotView,
  type Token,
  type Transaction,
  type TransactionView
} from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import type { LedgerState } from "./state/mod.ts"

/*
 * An item is made of frozen rows. Most rows are frozen when they are stored. Accounts and
 * transactions, of which a block writes many, are frozen when they are read, so that writes cost
 * less.
 */

export const accountView = ({ tokens }: LedgerState, account: Account): AccountView => ({
  account: Object.freeze(account),
  token: tokens.find(account.tokenId)!
})

export const exitView = ({ tokens }: LedgerState, exit: Exit): ExitView => ({
  exit,
  token: tokens.find(exit.tokenId)!
})

export const transactionView = (state: LedgerState, transaction: Transaction): TransactionView => {
  if (transaction.l1 !== null) Object.freeze(transaction.l1)
  if (transaction.l2 !== null) Object.freeze(transaction.l2)
  const token = state.tokens.find(transaction.tokenId)!
  const view = { transaction: Object.freeze(transaction), token }
  if (!mayNameOtherTokens(transaction)) return view
  const senderToken = otherToken(state, transaction, transaction.fromAccountIndex)
  const receiverToken = otherToken(state, transaction, transaction.toAccountIndex)
  return {
    ...view,
    ...senderToken === undefined ? {} : { senderToken },
    ...receiverToken === undefined ? {} : { receiverToken }
  }
}

/** Returns the token of an account that a transaction names, if it is not the transaction's. */
const otherToken = (
  { history, tokens }: LedgerState,
  { batchNum, tokenId }: Transaction,
  index: AccountIndex | null
): Token | undefined => {
  const account = index === null ? undefined : history.accounts.find(index)
  return account === undefined || account.tokenId === tokenId ||
      (batchNum !== null && account.batchNum > batchNum)
    ? undefined
    : tokens.find(account.tokenId)
}

/** Returns a slot at the last block. Every number is a slot. */
export const slotAt = (
  { auction, parameters }: LedgerState,
  clock: AuctionClock,
  slotNum: number
): SlotView => {
  const bestBid = auction.bestBid(slotNum)
  return slotView(
    clock,
    slotNum,
    bestBid === undefined ? null : { bestBid, applicable: parameters.auctionOf(slotNum) }
  )
}
