import type { PoolTransaction, PoolTransition } from "../../domain/mod.ts"
import type { AccountIndex, GroupId, TransactionId } from "../../encoding/mod.ts"
import {
  type AddResult,
  type OwnedTransaction,
  type PoolChange,
  type Pooled,
  type PoolLimits,
  type ReplacedTransaction,
  replacedReason,
  type ReplaceResult
} from "../../ports/mod.ts"

/*
 * The decisions of a store of the pool about its writes. No other write comes between a decision and
 * its result.
 */

/** The data of a store that its decisions read. */
export interface PoolContent {
  readonly counts: { readonly pend: number }
  /** Returns the number of pending transactions of an account. */
  readonly pendingOf: (account: AccountIndex) => number
  /** Returns whether the pool has a transaction with an id. */
  readonly has: (id: TransactionId) => boolean
}

/** Decides whether the transactions of a group are added, or one that was posted alone. */
export const decideAdd = (
  pool: PoolContent,
  group: ReadonlyArray<OwnedTransaction>,
  limits: PoolLimits
): AddResult => {
  if (group.some(({ transaction }) => pool.has(transaction.id))) return { kind: "known" }
  const senders = group.map(({ transaction }) => transaction.fromAccountIndex)
  return exceededLimit(pool, senders, limits) ?? { kind: "added" }
}

/** Decides whether a transaction is added instead of the stored one, `old`. */
export const decideReplacement = (
  pool: PoolContent,
  { arrival, id }: ReplacedTransaction,
  old: Pick<Pooled, "arrival" | "transaction"> | undefined,
  by: PoolTransaction,
  limits: PoolLimits
): ReplaceResult => {
  if (by.id !== id && pool.has(by.id)) return { kind: "known" }
  if (old === undefined || (arrival !== null && old.arrival !== arrival)) return { kind: "changed" }
  if (!isReplaceable(old.transaction)) return { kind: "changed" }
  const { batchNum, state: from } = old.transaction
  const full = from === "pend" ? undefined : exceededLimit(pool, [by.fromAccountIndex], limits)
  return full ??
    { kind: "replaced", from, batchNum, reason: replacedReason(old.transaction, by.id) }
}

/** Returns whether another transaction may replace one. */
export const isReplaceable = ({ group, state }: PoolTransaction): boolean =>
  group === undefined && (state === "pend" || state === "invl")

/** Returns the limit that one more transaction of each sender would exceed, if there is one. */
const exceededLimit = (
  pool: PoolContent,
  senders: ReadonlyArray<AccountIndex>,
  { pendingMax, pendingPerAccountMax }: PoolLimits
): Extract<AddResult, { readonly kind: "full" }> | undefined => {
  if (pool.counts.pend + senders.length > pendingMax) {
    return { kind: "full", limit: "pendingMax", account: senders[0]! }
  }
  const account = senders.find((index) =>
    pool.pendingOf(index) + senders.filter((each) => each === index).length > pendingPerAccountMax
  )
  return account === undefined
    ? undefined
    : { kind: "full", limit: "pendingPerAccountMax", account }
}

/** Returns the first transition of a transaction. */
export const transitionOfPost = (
  { batchNum, id, state: to, timestampMs: atMs }: PoolTransaction
): PoolTransition => ({ id, from: null, to, atMs, batchNum, reason: "Posted" })

/** Returns the transition of a change or replacement at a time. */
export const transitionOf = (
  { batchNum, from, id, reason, to }: Omit<PoolTransition, "atMs">,
  atMs: number
): PoolTransition => ({ id, from, to, atMs, batchNum, reason })

/** The data of a transaction that a change compares. */
export interface ChangeableTransaction extends Pick<Pooled, "arrival"> {
  readonly transaction: Pick<PoolTransaction, "batchNum" | "group" | "state">
}

/**
 * Applies, in order, the changes that start from the arrival, state and batch of their transaction,
 * and those of a group only if this holds for all of them. Returns the ids of these changes. A second
 * change of a transaction sees the first.
 *
 * @param find returns a transaction as it is now; undefined if it is not in the pool
 */
export const applyChanges = <Row extends ChangeableTransaction>(
  changes: ReadonlyArray<PoolChange>,
  atMs: number,
  find: (id: TransactionId) => Row | undefined,
  apply: (row: Row, transition: PoolTransition) => void
): ReadonlyArray<TransactionId> => {
  const unchanged = new Set<GroupId | undefined>()
  for (const change of changes) {
    const row = find(change.id)
    if (row !== undefined && !isFrom(row, change)) unchanged.add(row.transaction.group?.id)
  }
  return changes.filter((change) => {
    const row = find(change.id)
    if (row === undefined || !isFrom(row, change)) return false
    const { group } = row.transaction
    if (group !== undefined && unchanged.has(group.id)) return false
    apply(row, transitionOf(change, atMs))
    return true
  }).map(({ id }) => id)
}

const isFrom = (
  { arrival: found, transaction: { batchNum, state } }: ChangeableTransaction,
  { arrival, from, fromBatchNum }: PoolChange
): boolean =>
  state === from && batchNum === fromBatchNum && (arrival === undefined || found === arrival)
