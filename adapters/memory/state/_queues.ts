import type { Transaction } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import { GroupedRows, transactionCodec, type TransactionColumns } from "../row_groups/mod.ts"

/** The L1 user transactions that are not forged yet, by queue. The contract limits their number. */
export class Queues {
  /**
   * Every transaction that was ever queued, in the order of their queues and positions. Queues are
   * forged in this order too.
   */
  private readonly enqueued = new GroupedRows(transactionCodec())
  private readonly unforgedById = new Map<TransactionId, Transaction>()

  /** Number of transactions that were ever queued. */
  get length(): number {
    return this.enqueued.length
  }

  /** Number of transactions in queues. */
  get unforged(): number {
    return this.unforgedById.size
  }

  find(id: TransactionId): Transaction | undefined {
    return this.unforgedById.get(id)
  }

  /** Returns the unforged transactions of all queues, in no particular order. */
  transactions(): ReadonlyArray<Transaction> {
    return [...this.unforgedById.values()]
  }

  /** Returns the unforged transactions of a queue by position. */
  transactionsIn(queue: number): ReadonlyArray<Transaction> {
    return this.transactions().filter((transaction) => queueOf(transaction) === queue)
  }

  /** The greatest queue with a transaction; null if there is none. */
  get last(): number | null {
    return this.unforged === 0 ? null : queueOf(this.enqueued.at(-1)!)
  }

  enqueue(transaction: Transaction): void {
    this.unforgedById.set(transaction.id, transaction)
    this.enqueued.push(transaction)
  }

  /** Removes all transactions of a queue, which a batch forges. */
  forge(queue: number): void {
    for (const { id } of this.transactionsIn(queue)) this.unforgedById.delete(id)
  }

  /** Undoes `forge` for the queues from `first` on. */
  unforge(first: number): void {
    let from = this.length
    while (from > 0 && queueOf(this.enqueued.at(from - 1)!) >= first) from--
    for (const row of this.enqueued.slice(from, this.length)) this.unforgedById.set(row.id, row)
  }

  lists() {
    return {
      enqueuedRowGroups: [...this.enqueued.rowGroups],
      enqueued: [...this.enqueued.tail]
    }
  }

  /** Adds all queued transactions, of which those up to the queue `lastForged` are forged. */
  restore(
    rowGroups: ReadonlyArray<TransactionColumns>,
    tail: ReadonlyArray<Transaction>,
    lastForged: number | null
  ): void {
    this.enqueued.restore(rowGroups, tail)
    this.unforge((lastForged ?? -1) + 1)
  }

  /** Removes the last queued transactions until `length` are left. None of them may be forged. */
  truncate(length: number): void {
    while (this.enqueued.length > length) {
      const { id } = this.enqueued.pop()!
      if (!this.unforgedById.delete(id)) throw new Error(`Transaction ${id} is forged`)
    }
  }
}

const queueOf = (transaction: Transaction): number => transaction.l1!.toForgeL1TransactionsNum!
