import {
  feeUnits,
  isSameOwner,
  type Account,
  type Authorization,
  type RequestedTransaction,
  type Token
} from "../../../core/domain/mod.ts"
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

/** The maximum number of transactions without a group that require each other. */
const LINKED_MAX = 4

/**
 * Returns the ids of the selected transactions: repeatedly the transaction or group with the best
 * average fee among all whose nonces are next, with all that it requires in the same batch.
 */
export function naiveSelection(
  { accounts, authorizations, batchNum, maxNewAccounts, maxTransactions, pending, tokens }:
    NaiveInput
): ReadonlyArray<TransactionId> {
  let state = new Map(accounts.map((account) => [account.index, { ...account }]))
  let created = new Set<string>()
  const selected: Array<TransactionId> = []
  const units = unitsOf(pending)
  let waiting = units
  while (selected.length < maxTransactions) {
    const turn = waiting.filter((unit) => isNext(ordered(unit) ?? []))
      .sort((a, b) => worthOf(b) - worthOf(a) || a[0]!.arrival - b[0]!.arrival)
    const best = turn[0]
    if (best === undefined) break
    waiting = waiting.filter((unit) => unit !== best)
    const all = ordered(best)
    if (all === null) continue
    const before = { state: structuredClone(state), created: new Set(created) }
    const hasSpace = selected.length + all.length <= maxTransactions
    if (hasSpace && seesRequired(all) && all.every(forge)) {
      selected.push(...all.map(({ transaction }) => transaction.id))
      waiting = waiting.filter(([first]) => !all.includes(first!))
    } else ({ created, state } = before)
  }
  return selected

  /** Returns a unit with what it requires, or what is required first if that is seen only before. */
  function ordered(unit: Unit): Unit | null {
    const all = withRequired(unit)
    if (all === null || seesRequired(all)) return all
    const isAlone = ({ transaction: { group } }: Pooled) => group === undefined
    return [...all.filter((row) => !isAlone(row)), ...all.filter(isAlone).toReversed()]
  }

  /** Returns a unit and, in turn, what it requires and is not selected; null if it is not pending. */
  function withRequired(unit: Unit): Unit | null {
    const { group, request } = unit.at(-1)!.transaction
    if (group !== undefined || request === null) return unit
    const required = units.find((other) => other.some((row) => isRequested(row, request)))
    if (required === undefined) return null
    const isPresent = unit.some((row) => required.includes(row)) ||
      required.every(({ transaction }) => selected.includes(transaction.id))
    if (isPresent) return unit
    return unit.length >= LINKED_MAX ? null : withRequired([...unit, ...required])
  }

  /** Returns whether what a unit requires would be at most 4 positions before or 3 after it. */
  function seesRequired(unit: Unit): boolean {
    const batch = [...selected, ...unit.map(({ transaction }) => transaction.id)]
    return unit.every(({ transaction: { group, id, request } }) => {
      if (group !== undefined || request === null) return true
      const required = pending.find((row) => isRequested(row, request))!
      const distance = batch.indexOf(required.transaction.id) - batch.indexOf(id)
      return distance >= -4 && distance <= 3
    })
  }

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

  function forge({ receiver: payee, sender: owner, transaction }: Pooled): boolean {
    const { amount, fromAccountIndex, toAccountIndex, toAddress, toPublicKey, tokenId } =
      transaction
    const { maxNumBatch = 0 } = transaction
    if (maxNumBatch > 0 && batchNum > maxNumBatch) return false
    const sender = state.get(fromAccountIndex)
    const debit = amount + feeUnits(transaction)
    if (sender === undefined) return false
    if (!isSameOwner(sender, owner) || sender.tokenId !== tokenId || sender.balance < debit) {
      return false
    }
    const owned = toAccountIndex ??
      [...state.values()].find((account) =>
        account.tokenId === tokenId && account.address === toAddress &&
        (toAddress !== INTERNAL_ADDRESS || leafOf(account.publicKey) === leafOf(toPublicKey))
      )?.index
    if (owned === undefined) {
      const name = `${tokenId} ${toAddress} ${leafOf(toPublicKey)}`
      const creatable = toAddress === INTERNAL_ADDRESS ||
        authorizations.some(({ address }) => address === toAddress)
      if (!created.has(name) && (!creatable || created.size >= maxNewAccounts)) return false
      created.add(name)
    } else if (transaction.type !== "Exit") {
      const receiver = state.get(owned)
      if (receiver === undefined || receiver.tokenId !== tokenId) return false
      if (payee !== null && !isSameOwner(receiver, payee)) return false
      receiver.balance += amount
    }
    state.set(
      fromAccountIndex,
      Object.assign(sender, { nonce: sender.nonce + 1n, balance: sender.balance - debit })
    )
    return true
  }
}

/** Returns the key without bit 254; the keys of this network have a y below the field order. */
const leafOf = (key: string | null): string | null =>
  key === null ? null : `${key.slice(0, -2)} ${Number.parseInt(key.slice(-2), 16) & 0xbf}`

const isRequested = ({ transaction }: Pooled, request: RequestedTransaction): boolean =>
  Object.entries(request).every(([name, value]) =>
    transaction[name as keyof RequestedTransaction] === value
  )

function unitsOf(rows: ReadonlyArray<Pooled>): ReadonlyArray<Unit> {
  const groups = new Set(rows.map(({ transaction }) => transaction.group?.id))
  return [...groups].flatMap((id) => {
    const members = rows.filter(({ transaction }) => transaction.group?.id === id)
    return id === undefined
      ? members.map((row) => [row])
      : [members.toSorted((a, b) => a.transaction.group!.position - b.transaction.group!.position)]
  })
}
