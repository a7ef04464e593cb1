import { Equal } from "effect"
import type {
  Authorization,
  PoolTransaction,
  PoolTransition,
  SkippedTransaction
} from "../../../core/domain/mod.ts"
import type { EthereumAddress, TransactionId } from "../../../core/encoding/mod.ts"
import type {
  AddResult,
  OwnedTransaction,
  PoolChange,
  Pooled,
  PoolLimits,
  ReconciledBatch,
  ReconcileStep,
  ReplacedTransaction,
  ReplaceResult,
  TransactionOwners
} from "../../../core/ports/mod.ts"
import {
  applyChanges,
  decideAdd,
  decideReplacement,
  transitionOf,
  transitionOfPost
} from "../../../core/use_cases/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { frozenCopy } from "../state/mod.ts"
import { PoolRows } from "./_pool_rows.ts"
import { type TransactionHistory, TransitionHistory } from "./_transition_history.ts"

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

  undoable<A>(write: () => A): readonly [A, () => void, boolean] {
    const steps: Array<() => void> = []
    this.#undoSteps = steps
    try {
      const result = write()
      const undo = () => {
        for (const undoStep of steps.reverse()) undoStep()
      }
      return [result, undo, steps.length > 0]
    } finally {
      this.#undoSteps = null
    }
  }

  addTransaction(
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ): AddResult {
    return this.addGroup([{ ...owners, transaction }], limits)
  }

  addGroup(group: ReadonlyArray<OwnedTransaction>, limits: PoolLimits): AddResult {
    const result = decideAdd(this.rows, group, limits)
    if (result.kind === "added") { for (const each of group) this.#add(each) }
    return result
  }

  replaceTransaction(
    replaced: ReplacedTransaction,
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ): ReplaceResult {
    const old = this.rows.get(replaced.id)
    const result = decideReplacement(this.rows, replaced, old?.pooled, transaction, limits)
    if (result.kind !== "replaced") return result
    const change = { ...result, id: replaced.id, to: null }
    this.#change(old!.pooled, transitionOf(change, transaction.timestampMs))
    this.#add({ ...owners, transaction })
    return result
  }

  #add({ receiver, sender, transaction }: OwnedTransaction): void {
    const { id, timestampMs: sinceMs } = transaction
    this.rows.add({ transaction, sender, receiver, sinceMs, arrival: this.#arrivals++ })
    this.#undoSteps?.push(() => {
      this.#arrivals--
      this.rows.remove(this.rows.get(id)!)
    })
    this.#addTransition(transitionOfPost(transaction))
  }

  addAuthorization(authorization: Authorization) {
    const known = this.authorizations.get(authorization.address)
    if (known !== undefined) return { added: false, authorization: known }
    this.authorizations.set(authorization.address, authorization)
    this.#undoSteps?.push(() => void this.authorizations.delete(authorization.address))
    return { added: true, authorization }
  }

  change(changes: ReadonlyArray<PoolChange>, atMs: number): ReadonlyArray<TransactionId> {
    return applyChanges(
      changes,
      atMs,
      (id) => this.rows.get(id)?.pooled,
      (pooled, transition) => this.#change(pooled, transition)
    )
  }

  reconcile(
    { changes, from, to }: ReconcileStep,
    atMs: number
  ): ReadonlyArray<TransactionId> | null {
    if (!Equal.equals(this.reconciledBatches.at(-1) ?? null, from)) return null
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
        if (batchNum > lastBatchNum + 1) this.#setSkip(id, undefined)
      }
    }
    return this.change(changes, atMs)
  }

  skip(notes: ReadonlyArray<SkippedTransaction>, selected: ReadonlyArray<TransactionId>): void {
    for (const id of selected) this.#setSkip(id, undefined)
    for (const note of notes) {
      if (this.rows.get(note.id)?.pooled.transaction.state !== "pend") continue
      this.#setSkip(note.id, note)
    }
  }

  #change(before: Pooled, transition: PoolTransition): void {
    const { atMs, batchNum, id, to } = transition
    this.rows.remove(this.rows.get(id)!)
    this.#setSkip(id, undefined)
    this.#undoSteps?.push(() => {
      const changed = this.rows.get(id)
      if (changed !== undefined) this.rows.remove(changed)
      this.rows.add(before)
    })
    if (to !== null) {
      this.rows.add({
        ...before,
        sinceMs: atMs,
        transaction: { ...before.transaction, state: to, batchNum }
      })
    }
    this.#addTransition(transition)
  }

  /** Sets the note of a transaction, or removes it. */
  #setSkip(id: TransactionId, note: SkippedTransaction | undefined): void {
    const before = this.skippedTransactions.get(id)
    if (before === note) return
    this.#undoSteps?.push(() => this.#setSkip(id, before))
    if (note === undefined) this.skippedTransactions.delete(id)
    else this.skippedTransactions.set(id, note)
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

/**
 * The complete state of a pool at one time. Its rows are plain data and never change, so later
 * writes do not change it.
 */
export interface PoolImage {
  /** Number of transactions that ever entered the pool. */
  readonly arrivals: number
  /** The number of the first entry of `histories`. */
  readonly firstHistory: number
  readonly lists: {
    readonly pooled: ReadonlyArray<Pooled>
    /** Null if the transitions were forgotten. */
    readonly histories: ReadonlyArray<TransactionHistory | null>
    readonly authorizations: ReadonlyArray<Authorization>
    readonly skippedTransactions: ReadonlyArray<SkippedTransaction>
    readonly reconciledBatches: ReadonlyArray<ReconciledBatch>
  }
}
