import type { Transaction } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"

const none: ReadonlyArray<Transaction> = []

/** The L1 user transactions that wait to be forged, by the queue that holds them. */
export class Queues {
  /** Every transaction that was ever queued, in that order: what a rollback takes back. */
  private readonly entered: Array<Transaction> = []
  private readonly byQueue = new Map<number, Array<Transaction>>()
  private readonly byId = new Map<TransactionId, Transaction>()

  /** How many were ever queued. */
  get length(): number {
    return this.entered.length
  }

  find(id: TransactionId): Transaction | undefined {
    return this.byId.get(id)
  }

  waiting(queue: number): ReadonlyArray<Transaction> {
    return this.byQueue.get(queue) ?? none
  }

  /** The greatest queue in which a transaction waits. */
  get last(): number | null {
    let greatest: number | null = null
    for (const queue of this.byQueue.keys()) {
      if (greatest === null || queue > greatest) greatest = queue
    }
    return greatest
  }

  enter(transaction: Transaction): void {
    const queue = queueOf(transaction)
    const waiting = this.byQueue.get(queue)
    if (waiting === undefined) this.byQueue.set(queue, [transaction])
    else waiting.push(transaction)
    this.byId.set(transaction.id, transaction)
    this.entered.push(transaction)
  }

  /** Takes a whole queue out for a batch. */
  forge(queue: number): ReadonlyArray<Transaction> {
    const forged = this.waiting(queue)
    for (const transaction of forged) this.byId.delete(transaction.id)
    this.byQueue.delete(queue)
    return forged
  }

  /** Puts back what `forge` took out. */
  unforge(queue: number, forged: ReadonlyArray<Transaction>): void {
    if (forged.length === 0) return
    this.byQueue.set(queue, [...forged])
    for (const transaction of forged) this.byId.set(transaction.id, transaction)
  }

  /** Forgets the transactions that entered last; none of them is forged. */
  truncate(length: number): void {
    while (this.entered.length > length) {
      const transaction = this.entered.pop()!
      const queue = queueOf(transaction)
      const waiting = this.byQueue.get(queue)
      if (waiting?.pop() !== transaction) {
        throw new Error(`Transaction ${transaction.id} is not the last one of queue ${queue}`)
      }
      if (waiting.length === 0) this.byQueue.delete(queue)
      this.byId.delete(transaction.id)
    }
  }
}

const queueOf = (transaction: Transaction): number => transaction.l1!.toForgeL1TransactionsNum!
