import type { Transaction } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"

const noTransactions: ReadonlyArray<Transaction> = []

/** The L1 user transactions that are not forged yet, by queue. */
export class Queues {
  /** Every transaction that was ever queued, forged ones included, in the order of queueing. */
  private enqueued: Array<Transaction> = []
  private readonly byQueue = new Map<number, Array<Transaction>>()
  private readonly byId = new Map<TransactionId, Transaction>()

  /** Number of transactions that were ever queued. */
  get length(): number {
    return this.enqueued.length
  }

  /** Number of transactions in queues. */
  get unforged(): number {
    return this.byId.size
  }

  find(id: TransactionId): Transaction | undefined {
    return this.byId.get(id)
  }

  /** Returns the unforged transactions of all queues, in no particular order. */
  transactions(): ReadonlyArray<Transaction> {
    return [...this.byId.values()]
  }

  /** Returns the unforged transactions of a queue by position. */
  transactionsIn(queue: number): ReadonlyArray<Transaction> {
    return this.byQueue.get(queue) ?? noTransactions
  }

  /** The greatest queue with a transaction; null if there is none. */
  get last(): number | null {
    let greatest: number | null = null
    for (const queue of this.byQueue.keys()) {
      if (greatest === null || queue > greatest) greatest = queue
    }
    return greatest
  }

  enqueue(transaction: Transaction): void {
    const queue = queueOf(transaction)
    const transactions = this.byQueue.get(queue)
    if (transactions === undefined) this.byQueue.set(queue, [transaction])
    else transactions.push(transaction)
    this.byId.set(transaction.id, transaction)
    this.enqueued.push(transaction)
  }

  /** Removes all transactions of a queue and returns them for the batch that forges them. */
  forge(queue: number): ReadonlyArray<Transaction> {
    const forged = this.transactionsIn(queue)
    for (const transaction of forged) this.byId.delete(transaction.id)
    this.byQueue.delete(queue)
    return forged
  }

  /** Undoes `forge`. */
  unforge(queue: number, forged: ReadonlyArray<Transaction>): void {
    if (forged.length === 0) return
    this.byQueue.set(queue, [...forged])
    for (const transaction of forged) this.byId.set(transaction.id, transaction)
  }

  /** Returns every transaction that was ever queued. */
  list(): ReadonlyArray<Transaction> {
    return [...this.enqueued]
  }

  /** Adds all queued transactions, of which `forged` have left their queues. */
  restore(enqueued: ReadonlyArray<Transaction>, forged: ReadonlyArray<Transaction>): void {
    const isForged = new Set(forged)
    for (const transaction of enqueued) if (!isForged.has(transaction)) this.enqueue(transaction)
    this.enqueued = [...enqueued]
  }

  /** Removes the last queued transactions until `length` are left. None of them may be forged. */
  truncate(length: number): void {
    while (this.enqueued.length > length) {
      const transaction = this.enqueued.pop()!
      const queue = queueOf(transaction)
      const transactions = this.byQueue.get(queue)
      if (transactions?.pop() !== transaction) {
        throw new Error(`Transaction ${transaction.id} is not the last one of queue ${queue}`)
      }
      if (transactions.length === 0) this.byQueue.delete(queue)
      this.byId.delete(transaction.id)
    }
  }
}

const queueOf = (transaction: Transaction): number => transaction.l1!.toForgeL1TransactionsNum!
