import { feeUnits, type Account, type Authorization, type Token } from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, type TransactionId } from "../../../core/encoding/mod.ts"
import type { Pooled } from "../../../core/ports/mod.ts"

export interface NaiveInput {
  readonly pending: ReadonlyArray<Pooled>
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: ReadonlyArray<Token>
  readonly authorizations: ReadonlyArray<Authorization>
  readonly maxTransactions: number
  readonly maxNewAccounts: number
  readonly batchNum: number
}

/**
 * Returns the ids of the selected transactions: repeatedly the one with the best fee among all
 * whose nonce is next.
 */
export function naiveSelection(
  { accounts, authorizations, batchNum, maxNewAccounts, maxTransactions, pending, tokens }:
    NaiveInput
): ReadonlyArray<TransactionId> {
  const state = new Map(accounts.map((account) => [account.index, { ...account }]))
  const created = new Set<string>()
  const selected: Array<TransactionId> = []
  let waiting = pending
  while (selected.length < maxTransactions) {
    const turn = waiting.filter((row) =>
      row.transaction.nonce === state.get(row.transaction.fromAccountIndex)?.nonce
    ).sort((a, b) => worthOf(b) - worthOf(a) || a.arrival - b.arrival)
    const best = turn[0]
    if (best === undefined) break
    waiting = waiting.filter((row) => row !== best)
    if (forge(best)) selected.push(best.transaction.id)
  }
  return selected

  function worthOf({ transaction }: Pooled): number {
    const token = tokens.find(({ id }) => id === transaction.tokenId)
    return (token?.priceUSD ?? 0) / 10 ** (token?.decimals ?? 0) * Number(feeUnits(transaction))
  }

  function forge({ sender: key, transaction }: Pooled): boolean {
    const { amount, fromAccountIndex, toAccountIndex, toAddress, toPublicKey, tokenId } =
      transaction
    const { maxNumBatch = 0 } = transaction
    if (maxNumBatch > 0 && batchNum > maxNumBatch) return false
    const sender = state.get(fromAccountIndex)!
    const debit = amount + feeUnits(transaction)
    if (sender.publicKey !== key || sender.tokenId !== tokenId || sender.balance < debit) {
      return false
    }
    const owned = toAccountIndex ??
      [...state.values()].find((account) =>
        account.tokenId === tokenId && account.address === toAddress &&
        (toAddress !== INTERNAL_ADDRESS || account.publicKey === toPublicKey)
      )?.index
    if (owned === undefined) {
      const name = `${tokenId} ${toAddress} ${toPublicKey}`
      const creatable = toAddress === INTERNAL_ADDRESS ||
        authorizations.some(({ address }) => address === toAddress)
      if (!created.has(name) && (!creatable || created.size >= maxNewAccounts)) return false
      created.add(name)
    } else if (transaction.type !== "Exit") {
      const receiver = state.get(owned)
      if (receiver === undefined || receiver.tokenId !== tokenId) return false
      receiver.balance += amount
    }
    state.set(
      fromAccountIndex,
      Object.assign(sender, { nonce: sender.nonce + 1n, balance: sender.balance - debit })
    )
    return true
  }
}
