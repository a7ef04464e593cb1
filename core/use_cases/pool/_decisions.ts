import { Effect } from "effect"
import {
  type Account,
  isExpired,
  isSameOwner,
  type PoolTransaction,
  type PostedTransaction
} from "../../domain/mod.ts"
import { type AccountIndex, isUserAccount, type TransactionId } from "../../encoding/mod.ts"
import type { OwnedTransaction, StoreFailure } from "../../ports/mod.ts"
import { findInPages } from "../_find_in_pages.ts"
import type { PoolPorts } from "./_optimistic_change.ts"
import { isForgedAs } from "./_same_transaction.ts"

/** The state of a transaction that follows from the ledger, and the batch since which it does. */
export interface Decision {
  readonly state: "fged" | "invl"
  readonly batchNum: number
  readonly reason: string
}

/**
 * Returns the decisions of the batches up to `lastBatchNum`, which the ledger has. A transaction that
 * one of them contains is forged. Another one is invalid since the first batch that used its nonce,
 * that gave the account of the sender or the receiver to another owner, or that is its last one. A
 * transaction without a decision can still be forged. Decisions depend only on the batches, so they
 * end if these are rolled back.
 */
export const decisionsOf = Effect.fnUntraced(
  function*(
    { reader }: Pick<PoolPorts, "reader">,
    rows: ReadonlyArray<OwnedTransaction>,
    lastBatchNum: number
  ): Effect.fn.Return<ReadonlyMap<TransactionId, Decision>, StoreFailure> {
    const accounts = yield* accountsOf(reader, rows)
    const decisions = new Map<TransactionId, Decision>()
    for (const row of rows) {
      const sender = accounts.get(row.transaction.fromAccountIndex) ?? null
      const found = [
        ...ownerDecisions(row, accounts),
        ...yield* nonceDecisions(reader, row, sender),
        ...expiryDecisions(row.transaction, lastBatchNum)
      ].filter(({ batchNum }) => batchNum <= lastBatchNum)
      const first = found.find(({ state }) => state === "fged") ??
        found.toSorted((a, b) => a.batchNum - b.batchNum)[0]
      if (first !== undefined) decisions.set(row.transaction.id, first)
    }
    return decisions
  }
)

type Reader = PoolPorts["reader"]
type Accounts = ReadonlyMap<AccountIndex, Account>

/** Returns the accounts that the transactions name, without those that do not exist. */
const accountsOf = Effect.fnUntraced(
  function*(reader: Reader, rows: ReadonlyArray<OwnedTransaction>) {
    const indexes = [
      ...new Set(
        rows.flatMap(({ transaction: { fromAccountIndex, toAccountIndex } }) =>
          toAccountIndex !== null && isUserAccount(toAccountIndex)
            ? [fromAccountIndex, toAccountIndex]
            : [fromAccountIndex]
        )
      )
    ]
    const accounts = new Map<AccountIndex, Account>()
    for (let at = 0; at < indexes.length; at += ACCOUNTS_MAX) {
      const page = indexes.slice(at, at + ACCOUNTS_MAX)
      const found = yield* reader.accountsAndTokens({ accounts: page, tokens: [] })
      for (const account of found.accounts) {
        if (account !== null) accounts.set(account.index, account)
      }
    }
    return accounts
  }
)

/** Number of accounts in a read. */
const ACCOUNTS_MAX = 1000

function* ownerDecisions(
  { receiver, sender, transaction: { fromAccountIndex, toAccountIndex } }: OwnedTransaction,
  accounts: Accounts
): Generator<Decision> {
  const parties = [[fromAccountIndex, sender], [toAccountIndex, receiver]] as const
  for (const [index, owner] of parties) {
    const account = index === null ? undefined : accounts.get(index)
    if (account === undefined || owner === null || isSameOwner(account, owner)) continue
    yield {
      state: "invl",
      batchNum: account.batchNum,
      reason: `${otherOwnerReason(account.index)} since batch ${account.batchNum}`
    }
  }
}

/** Returns the decision of the batch that used the nonce of a transaction, if there is one. */
const nonceDecisions = Effect.fnUntraced(
  function*(
    reader: Reader,
    { sender, transaction }: OwnedTransaction,
    account: Account | null
  ): Effect.fn.Return<ReadonlyArray<Decision>, StoreFailure> {
    if (
      account === null || transaction.nonce >= account.nonce || !isSameOwner(account, sender)
    ) return []
    const used = yield* usedIn(reader, transaction)
    // it was rolled back in the meantime
    if (used === null) return []
    const { batchNum } = used
    return [
      used.id === transaction.id && isForgedAs(transaction, used)
        ? { state: "fged", batchNum, reason: forgedReason(batchNum) }
        : { state: "invl", batchNum, reason: supersededReason(transaction, batchNum) }
    ]
  }
)

function* expiryDecisions(transaction: PoolTransaction, lastBatchNum: number): Generator<Decision> {
  const { maxNumBatch = 0 } = transaction
  if (!isExpired(transaction, lastBatchNum + 1)) return
  yield { state: "invl", batchNum: maxNumBatch, reason: expiredReason(maxNumBatch) }
}

/** Returns the transaction that used a nonce of its sender; null if the ledger has none. */
const usedIn = (reader: Reader, { fromAccountIndex, nonce }: PoolTransaction) =>
  findInPages(reader, "transactions", {
    filters: { fromAccountIndex },
    order: "DESC",
    limit: PAGE
  }, (items) => {
    for (const { transaction } of items) {
      const { batchNum, l2 } = transaction
      if (l2 === null || batchNum === null || l2.nonce > nonce) continue
      return l2.nonce === nonce ? { ...transaction, batchNum } : null
    }
    return undefined
  })

/** Number of transactions in a read. */
const PAGE = 100

export const forgedReason = (batchNum: number): string => `Forged in batch ${batchNum}`

export const otherOwnerReason = (index: AccountIndex): string =>
  `Account ${index} has belonged to another owner`

export const expiredReason = (maxNumBatch: number): string =>
  `Batch ${maxNumBatch} is the last one that may forge it`

const supersededReason = (
  { fromAccountIndex, nonce }: PostedTransaction,
  batchNum: number
): string =>
  `Nonce ${nonce} of account ${fromAccountIndex} was used by another transaction in batch ${batchNum}`
