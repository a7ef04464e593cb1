import type { PoolTransition } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"

/** The transitions of one transaction. It never changes; a transition replaces it. */
export interface TransactionHistory {
  /** Position among all transactions that ever entered the pool. */
  readonly number: number
  readonly id: TransactionId
  /** Oldest first. */
  readonly transitions: ReadonlyArray<PoolTransition>
}

/** Numbers of forgotten transactions are dropped in groups of this size. */
const groupSize = 1024

/** The transitions of all transactions, in the order in which these entered the pool. */
export class TransitionHistory {
  private readonly byId = new Map<TransactionId, TransactionHistory>()
  /** By number, from `first` on; null if the transaction was forgotten. */
  private entries: Array<TransactionHistory | null> = []
  private firstNumber = 0

  /** The least number in `list`, a multiple of `groupSize`. */
  get first(): number {
    return this.firstNumber
  }

  get(id: TransactionId): TransactionHistory | undefined {
    return this.byId.get(id)
  }

  add(transition: PoolTransition): void {
    const { id } = transition
    const before = this.byId.get(id)
    const number = before?.number ?? this.firstNumber + this.entries.length
    this.set({ number, id, transitions: [...before?.transitions ?? [], transition] })
  }

  /** Undoes the last `add` of a transaction, whose history before it was `before`. */
  undo(id: TransactionId, before: TransactionHistory | undefined): void {
    if (before !== undefined) return this.set(before)
    // an added transaction is the last one
    this.entries.pop()
    this.byId.delete(id)
  }

  list(): Array<TransactionHistory | null> {
    return [...this.entries]
  }

  restore(first: number, entries: ReadonlyArray<TransactionHistory | null>): void {
    this.firstNumber = first
    this.entries = entries.map(() => null)
    for (const entry of entries) if (entry !== null) this.set(entry)
  }

  /**
   * Forgets the transactions that left the pool before a time, in milliseconds since 1970. Returns
   * their number.
   */
  forget(beforeMs: number): number {
    let count = 0
    for (const [at, entry] of this.entries.entries()) {
      const last = entry?.transitions.at(-1)
      if (entry === null || last === undefined || last.to !== null || last.atMs >= beforeMs) {
        continue
      }
      this.entries[at] = null
      this.byId.delete(entry.id)
      count++
    }
    let empty = this.entries.findIndex((entry) => entry !== null)
    if (empty < 0) empty = this.entries.length
    const dropped = empty - empty % groupSize
    this.entries = this.entries.slice(dropped)
    this.firstNumber += dropped
    return count
  }

  private set(entry: TransactionHistory): void {
    this.byId.set(entry.id, entry)
    this.entries[entry.number - this.firstNumber] = entry
  }
}
