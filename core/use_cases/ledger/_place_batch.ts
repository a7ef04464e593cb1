import { type BatchChanges, feeSumUnits, type New, type Transaction } from "../../domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../encoding/mod.ts"
import type { PlacedAccount, PlacedBatch } from "../../ports/mod.ts"
import { accountRow } from "./rows.ts"
import { notStorable, type StagedState } from "./_staged_state.ts"

/** Adds the changes of a batch to the staged state, and returns its rows. */
export const placeBatch = (state: StagedState, changes: BatchChanges): PlacedBatch => {
  const { next, totals } = state
  const { batch } = changes
  const { batchNum } = batch
  if (batchNum !== state.lastBatchNum + 1) {
    throw notStorable(`batch ${batchNum} is not the next one`)
  }
  const accountChanges = placeAccounts(state, changes)
  const forged = forgeQueue(state, changes)
  const transactions = changes.transactions.map((row, position) => {
    if (row.tokenId > state.lastTokenId || row.batchNum !== batchNum) {
      throw notStorable(`transaction ${row.id} has another batch or an unknown token`)
    }
    if (row.l2 !== null) totals.l2Transactions++
    return position < forged.length
      ? { ...row, itemId: next.transactions++ }
      : placeTransaction(state, row)
  })
  const exits = placeExits(state, changes)
  totals.transactions += transactions.length
  totals.feeUnits += feeSumUnits(batch.historicTotalCollectedFeesUSD)
  totals.l1UserTransactions += forged.length
  totals.l1WaitMs = forged.reduce(
    (sum, queued) => sum + BigInt(batch.timestampMs - queued.timestampMs),
    totals.l1WaitMs
  )
  state.lastBatchNum = batchNum
  return {
    batch: { itemId: next.batches++, ...batch },
    accountChanges,
    forged,
    transactions,
    exits,
    totals: { ...totals },
    lastForgedQueue: state.lastForgedQueue,
    next: { ...next }
  }
}

/** Gives a new transaction its item id. */
export const placeTransaction = (state: StagedState, row: New<Transaction>): Transaction => {
  const { id } = row
  if (state.hasTransaction(id)) throw notStorable(`transaction ${id} is stored already`)
  state.transactions.add(id)
  return { ...row, itemId: state.next.transactions++ }
}

/** Throws unless the accounts ascend, and each one exists or is the next one. */
const placeAccounts = (
  state: StagedState,
  { accounts }: BatchChanges
): ReadonlyArray<PlacedAccount> => {
  let last = FIRST_USER_ACCOUNT - 1
  return accounts.map((account) => {
    const { balance, index, nonce } = account
    if (index <= last) throw notStorable(`account ${index} is out of order`)
    last = index
    if (index > state.lastAccountIndex + 1) {
      throw notStorable(`account ${index} is not the next one`)
    }
    const before = index > state.lastAccountIndex ? null : state.account(index)!
    const after = before === null
      ? accountRow(state.next.accounts++, account)
      : accountRow(before.itemId, before, nonce, balance)
    state.setAccount(after)
    return { index, before, after }
  })
}

/** Returns the transactions of the queue that a batch forges. */
const forgeQueue = (
  state: StagedState,
  { batch: { forgeL1TransactionsNum: queue }, transactions }: BatchChanges
): ReadonlyArray<Transaction> => {
  const queued = queue === null ? [] : state.queue(queue)
  const forged = transactions.filter(({ l1 }) => l1?.userOrigin === true)
  if (forged.length !== queued.length || queued.some(({ id }, i) => transactions[i]!.id !== id)) {
    throw notStorable(
      `queue ${queue} holds ${queued.length} transactions, which differ from the ${forged.length} that its batch forges`
    )
  }
  if (queue !== null) state.clearQueue(queue)
  return queued
}

const placeExits = (
  state: StagedState,
  { batch: { batchNum }, exits }: BatchChanges
): PlacedBatch["exits"] => {
  let last = -1
  return exits.map((exit) => {
    if (exit.accountIndex <= last || exit.batchNum !== batchNum) {
      throw notStorable(`exit of account ${exit.accountIndex} is out of order`)
    }
    last = exit.accountIndex
    const row = { ...exit, itemId: state.next.exits++ }
    state.addExit(row)
    return row
  })
}
