import type {
  Authorization,
  PoolTransaction,
  PoolTransition,
  SkippedTransaction
} from "../../../core/domain/mod.ts"
import type { EthereumAddress, GroupId, TransactionId } from "../../../core/encoding/mod.ts"
import {
  type AddGroupResult,
  type AddResult,
  type OwnedTransaction,
  type PoolChange,
  type PoolLimits,
  type ReplacedTransaction,
  replacedReason,
  type ReplaceResult,
  type ReconciledBatch,
  type ReconcileStep,
  type TransactionOwners
} from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { frozenCopy } from "../state/mod.ts"
import { type PoolRow, PoolRows } from "./_pool_rows.ts"
import { TransitionHistory } from "./_transition_history.ts"
import type { PoolImage } from "./pool_image.ts"

/** The state of a pool and its writes. Each method is synchronous, and therefore atomic. */
export class MemoryPool {
  readonly rows = new PoolRows()
  /** Ascending by batch number. */
  readonly reconciledBatches: Array<ReconciledBatch> = []
  readonly authorizations = new Map<EthereumAddress, Authorization>()
  readonly transitions = new TransitionHistory()
  readonly skippedTransactions = new Map<TransactionId, SkippedTransaction>()
  #arrivals = 0
  /** Undoes each step of the writes of `undoable`; null outside of it. */
  #undoSteps: Array<() => void> | null = null

  undoable<A>(write: () => A): readonly [A, () => void] {
    const steps: Array<() => void> = []
    this.#undoSteps = steps
    try {
      return [write(), () => {
        for (const undo of steps.reverse()) undo()
      }]
    } finally {
      this.#undoSteps = null
    }
  }

  addTransaction(
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ): AddResult {
    const known = this.rows.get(transaction.id)
    if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    const limit = this.#reachedLimit(transaction, limits)
    if (limit !== null) return { kind: "full", limit }
    this.#add({ ...owners, transaction })
    return { kind: "added" }
  }

  addGroup(
    group: ReadonlyArray<OwnedTransaction>,
    { pendingMax, pendingPerAccountMax }: PoolLimits
  ): AddGroupResult {
    for (const { transaction: { id } } of group) {
      const known = this.rows.get(id)
      if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    }
    const senders = group.map(({ transaction }) => transaction.fromAccountIndex)
    if (this.rows.counts.pend + group.length > pendingMax) {
      return { kind: "full", limit: "pendingMax", account: senders[0]! }
    }
    const account = senders.find((index) =>
      this.rows.pendingOf(index) + senders.filter((each) => each === index).length >
        pendingPerAccountMax
    )
    if (account !== undefined) return { kind: "full", limit: "pendingPerAccountMax", account }
    for (const each of group) this.#add(each)
    return { kind: "added" }
  }

  replaceTransaction(
    { arrival, id: replaced }: ReplacedTransaction,
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ): ReplaceResult {
    const known = transaction.id === replaced ? undefined : this.rows.get(transaction.id)
    if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    const old = this.rows.get(replaced)?.pooled
    const state = old?.transaction.state
    if (
      old?.transaction.group !== undefined || (state !== "pend" && state !== "invl") ||
      (arrival !== null && old!.arrival !== arrival)
    ) return { kind: "changed" }
    const limit = state === "pend" ? null : this.#reachedLimit(transaction, limits)
    if (limit !== null) return { kind: "full", limit }
    const { batchNum } = old!.transaction
    const reason = replacedReason(old!.transaction, transaction.id)
    this.#changeOne({
      id: replaced,
      from: state,
      fromBatchNum: batchNum,
      to: null,
      batchNum,
      reason
    }, transaction.timestampMs)
    this.#add({ ...owners, transaction })
    return { kind: "replaced", from: state, batchNum, reason }
  }

  #reachedLimit(
    { fromAccountIndex }: PoolTransaction,
    { pendingMax, pendingPerAccountMax }: PoolLimits
  ): keyof PoolLimits | null {
    if (this.rows.counts.pend >= pendingMax) return "pendingMax"
    return this.rows.pendingOf(fromAccountIndex) >= pendingPerAccountMax
      ? "pendingPerAccountMax"
      : null
  }

  #add({ receiver, sender, transaction }: OwnedTransaction): void {
    const { batchNum, id, state: to, timestampMs: atMs } = transaction
    this.rows.add({ transaction, sender, receiver, sinceMs: atMs, arrival: this.#arrivals++ })
    this.#undoSteps?.push(() => {
      this.#arrivals--
      this.rows.remove(this.rows.get(id)!)
    })
    this.#addTransition({ id, from: null, to, atMs, batchNum, reason: "Posted" })
  }

  addAuthorization(authorization: Authorization) {
    const known = this.authorizations.get(authorization.address)
    if (known !== undefined) return { added: false, authorization: known }
    this.authorizations.set(authorization.address, authorization)
    this.#undoSteps?.push(() => void this.authorizations.delete(authorization.address))
    return { added: true, authorization }
  }

  change(changes: ReadonlyArray<PoolChange>, atMs: number): ReadonlyArray<TransactionId> {
    const unchanged = new Set<GroupId>()
    for (const change of changes) {
      const row = this.rows.get(change.id)
      const group = row?.pooled.transaction.group
      if (group !== undefined && !isFrom(row, change)) unchanged.add(group.id)
    }
    return changes.filter((change) => {
      const group = this.rows.get(change.id)?.pooled.transaction.group
      return (group === undefined || !unchanged.has(group.id)) && this.#changeOne(change, atMs)
    }).map(({ id }) => id)
  }

  reconcile(
    { changes, from, to }: ReconcileStep,
    atMs: number
  ): ReadonlyArray<TransactionId> | null {
    if (!isSameBatch(this.reconciledBatches.at(-1) ?? null, from)) return null
    const remaining = to === null
      ? 0
      : firstNot(
        0,
        this.reconciledBatches.length,
        (index) => this.reconciledBatches[index]!.batchNum < to.batchNum
      )
    const removed = this.reconciledBatches.splice(remaining)
    this.#undoSteps?.push(() => void this.reconciledBatches.splice(remaining, Infinity, ...removed))
    if (to !== null) this.reconciledBatches.push(to)
    const lastBatchNum = to?.batchNum ?? 0
    if (lastBatchNum < (from?.batchNum ?? 0)) {
      for (const { batchNum, id } of this.skippedTransactions.values()) {
        if (batchNum > lastBatchNum + 1) this.#forgetSkip(id)
      }
    }
    return this.change(changes, atMs)
  }

  skip(notes: ReadonlyArray<SkippedTransaction>, selected: ReadonlyArray<TransactionId>): void {
    for (const id of selected) this.#forgetSkip(id)
    for (const note of notes) {
      if (this.rows.get(note.id)?.pooled.transaction.state !== "pend") continue
      this.#undoSkip(note.id)
      this.skippedTransactions.set(note.id, note)
    }
  }

  #changeOne(change: PoolChange, atMs: number): boolean {
    const { batchNum, from, id, reason, to } = change
    const row = this.rows.get(id)
    if (!isFrom(row, change)) return false
    this.rows.remove(row)
    this.#forgetSkip(id)
    this.#undoSteps?.push(() => {
      const changed = this.rows.get(id)
      if (changed !== undefined) this.rows.remove(changed)
      this.rows.add(row.pooled)
    })
    if (to !== null) {
      this.rows.add({
        ...row.pooled,
        sinceMs: atMs,
        transaction: { ...row.pooled.transaction, state: to, batchNum }
      })
    }
    this.#addTransition({ id, from, to, atMs, batchNum, reason })
    return true
  }

  #forgetSkip(id: TransactionId): void {
    if (!this.skippedTransactions.has(id)) return
    this.#undoSkip(id)
    this.skippedTransactions.delete(id)
  }

  /** Lets `undoable` restore the note of a transaction. */
  #undoSkip(id: TransactionId): void {
    if (this.#undoSteps === null) return
    const note = this.skippedTransactions.get(id)
    this.#undoSteps.push(() => {
      if (note === undefined) this.skippedTransactions.delete(id)
      else this.skippedTransactions.set(id, note)
    })
  }

  #addTransition(transition: PoolTransition): void {
    const before = this.transitions.get(transition.id)
    this.#undoSteps?.push(() => this.transitions.undo(transition.id, before))
    this.transitions.add(transition)
  }

  capture(): PoolImage {
    return {
      arrivals: this.#arrivals,
      firstHistory: this.transitions.first,
      lists: {
        pooled: this.rows.all(),
        histories: this.transitions.list(),
        authorizations: [...this.authorizations.values()],
        skippedTransactions: [...this.skippedTransactions.values()],
        reconciledBatches: [...this.reconciledBatches]
      }
    }
  }

  restore({ arrivals, firstHistory, lists }: PoolImage): void {
    this.#arrivals = arrivals
    for (const pooled of lists.pooled) {
      this.rows.add({ ...pooled, transaction: frozenCopy(pooled.transaction) })
    }
    this.transitions.restore(firstHistory, lists.histories)
    for (const authorization of lists.authorizations) {
      this.authorizations.set(authorization.address, frozenCopy(authorization))
    }
    for (const skipped of lists.skippedTransactions) {
      this.skippedTransactions.set(skipped.id, skipped)
    }
    for (const reconciled of lists.reconciledBatches) this.reconciledBatches.push(reconciled)
  }
}

/** Returns whether a transaction is the one, and in the state, from which a change starts. */
const isFrom = (
  row: PoolRow | undefined,
  { arrival, from, fromBatchNum }: PoolChange
): row is PoolRow =>
  row?.pooled.transaction.state === from && row.pooled.transaction.batchNum === fromBatchNum &&
  (arrival === undefined || row.pooled.arrival === arrival)

const isSameBatch = (a: ReconciledBatch | null, b: ReconciledBatch | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.batchNum === b.batchNum &&
    a.ethereumBlockHash === b.ethereumBlockHash)
