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

/** Transactions that are selected together: one alone, or those of a group. */
type Unit = ReadonlyArray<Pooled>

/**
 * Returns the ids of the selected transactions: repeatedly the transaction or group with the best
 * average fee among all whose nonces are next.
 */
export function naiveSelection(
  { accounts, authorizations, batchNum, maxNewAccounts, maxTransactions, pending, tokens }:
    NaiveInput
): ReadonlyArray<TransactionId> {
  let state = new Map(accounts.map((account) => [account.index, { ...account }]))
  let created = new Set<string>()
  const selected: Array<TransactionId> = []
  let waiting = unitsOf(pending)
  while (selected.length < maxTransactions) {
    const turn = waiting.filter(isNext)
      .sort((a, b) => worthOf(b) - worthOf(a) || a[0]!.arrival - b[0]!.arrival)
    const best = turn[0]
    if (best === undefined) break
    waiting = waiting.filter((unit) => unit !== best)
    const before = { state: structuredClone(state), created: new Set(created) }
    if (selected.length + best.length <= maxTransactions && best.every(forge)) {
      selected.push(...best.map(({ transaction }) => transaction.id))
    } else ({ created, state } = before)
  }
  return selected

  function isNext(unit: Unit): boolean {
    return unit.every(({ transaction: { fromAccountIndex, nonce } }, position) => {
      const before = unit.slice(0, position).filter((row) =>
        row.transaction.fromAccountIndex === fromAccountIndex
      )
      return nonce === (state.get(fromAccountIndex)?.nonce ?? 0n) + BigInt(before.length)
    })
  }

  function worthOf(unit: Unit): number {
    const worths = unit.map(({ transaction }) => {
      const token = tokens.find(({ id }) => id === transaction.tokenId)
      return (token?.priceUSD ?? 0) / 10 ** (token?.decimals ?? 0) * Number(feeUnits(transaction))
    })
    return worths.reduce((sum, worth) => sum + worth, 0) / unit.length
  }

  function forge({ sender: key, transaction }: Pooled): boolean {
    const { amount, fromAccountIndex, toAccountIndex, toAddress, toPublicKey, tokenId } =
      transaction
    const { maxNumBatch = 0 } = transaction
    if (maxNumBatch > 0 && batchNum > maxNumBatch) return false
    const sender = state.get(fromAccountIndex)
    const debit = amount + feeUnits(transaction)
    if (sender === undefined) return false
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

function unitsOf(rows: ReadonlyArray<Pooled>): ReadonlyArray<Unit> {
  const groups = new Set(rows.map(({ transaction }) => transaction.group?.id))
  return [...groups].flatMap((id) => {
    const members = rows.filter(({ transaction }) => transaction.group?.id === id)
    return id === undefined
      ? members.map((row) => [row])
      : [members.toSorted((a, b) => a.transaction.group!.position - b.transaction.group!.position)]
  })
}
