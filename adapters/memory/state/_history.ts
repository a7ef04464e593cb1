import {
  type Account,
  type Batch,
  type BatchChanges,
  type Exit,
  feeSumUnits,
  type New,
  type Transaction
} from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import { ItemIds, Table } from "../filter_index/mod.ts"
import { Accounts } from "./_accounts.ts"
import { Exits } from "./_exits.ts"
import { Queues } from "./_queues.ts"
import { completedRow, forgedRow, frozenCopy, transactionRow } from "./_rows.ts"
import { facetsOf } from "./list_facets.ts"

type Range = readonly [from: number, to: number]

/** The lengths of the tables after a batch, and sums over all batches up to it. */
export interface BatchTotals {
  readonly transactions: number
  readonly l2Transactions: number
  readonly feeUnits: bigint
  readonly accounts: number
  readonly accountUpdates: number
  readonly exits: number
  /** The greatest queue that was forged; null before the first one. */
  readonly lastForgedQueue: number | null
  /** The queued transactions that this batch forged, as they were in their queue. */
  readonly forged: ReadonlyArray<Transaction>
}

const zeroTotals: BatchTotals = {
  transactions: 0,
  l2Transactions: 0,
  feeUnits: 0n,
  accounts: 0,
  accountUpdates: 0,
  exits: 0,
  lastForgedQueue: null,
  forged: []
}

/**
 * The batches with their transactions, accounts and exits, and the queues. Batch numbers are
 * consecutive from 1, so batch n is at position n − 1.
 */
export class History {
  readonly batches = new Table(facetsOf("batches"))
  readonly transactions: Table<Transaction>
  readonly accounts = new Accounts()
  readonly exits = new Exits()
  readonly queues = new Queues()
  /** Queued and forged transactions share their item ids. */
  readonly transactionIds = new ItemIds()
  private readonly positionById = new Map<TransactionId, number>()
  /** By batch number; the first element is for batch 0. */
  private readonly totals: Array<BatchTotals> = [zeroTotals]

  constructor() {
    this.transactions = new Table(facetsOf("transactions"), this.transactionIds)
  }

  get lastBatchNum(): number {
    return this.batches.length
  }

  batch(batchNum: number): Batch | undefined {
    return this.batches.rows[batchNum - 1]
  }

  /** Returns the totals after a batch: zero below batch 1, those of the last batch above it. */
  totalsAfter(batchNum: number): BatchTotals {
    return this.totals[batchNum] ?? (batchNum < 0 ? zeroTotals : this.totals.at(-1)!)
  }

  /** Returns the positions [from, to) of a batch's transactions; empty if the batch is unknown. */
  transactionRange(batchNum: number): Range {
    return [this.totalsAfter(batchNum - 1).transactions, this.totalsAfter(batchNum).transactions]
  }

  /** Returns the positions [from, to) of a batch's exits; empty if the batch is unknown. */
  exitRange(batchNum: number): Range {
    return [this.totalsAfter(batchNum - 1).exits, this.totalsAfter(batchNum).exits]
  }

  /** Returns a forged or queued transaction as it is stored. */
  transaction(id: TransactionId): Transaction | undefined {
    const position = this.positionById.get(id)
    return position === undefined ? this.queues.find(id) : this.transactions.rows[position]
  }

  /**
   * Returns a forged or queued transaction. A queued one includes the addresses and public keys of
   * accounts that were created after it was queued.
   */
  completedTransaction(id: TransactionId): Transaction | undefined {
    const row = this.transaction(id)
    return row === undefined || row.batchNum !== null
      ? row
      : completedRow(row, this.senderOf(row), this.accounts.find(row.toAccountIndex))
  }

  exit(batchNum: number, accountIndex: AccountIndex): Exit | undefined {
    return this.exits.table.rows[this.exits.positionIn(this.exitRange(batchNum), accountIndex)]
  }

  enqueue(transaction: New<Transaction>): void {
    this.queues.enqueue(this.newRow(transaction))
  }

  addBatch(changes: BatchChanges): void {
    const { batch } = changes
    const before = this.totals.at(-1)!
    this.batches.append(
      Object.freeze({
        itemId: this.batches.itemIds.take(),
        ...batch,
        collectedFees: frozenCopy(batch.collectedFees)
      })
    )
    for (const account of changes.accounts) this.accounts.add(account)
    for (const { index, nonce, balance } of changes.accountUpdates) {
      this.accounts.update(index, nonce, balance)
    }
    const queue = batch.forgeL1TransactionsNum
    const forged = queue === null ? [] : this.queues.forge(queue)
    for (const [position, queued] of forged.entries()) {
      const effect = changes.forged[position]!
      const to = this.accounts.find(queued.toAccountIndex)
      this.addTransaction(
        forgedRow(
          this.transactionIds.take(),
          queued,
          effect,
          batch.batchNum,
          this.accounts.find(effect.fromAccountIndex),
          to
        )
      )
    }
    let l2Transactions = before.l2Transactions
    for (const transaction of changes.transactions) {
      this.addTransaction(this.newRow(transaction))
      if (transaction.l2 !== null) l2Transactions++
    }
    for (const exit of changes.exits) this.exits.add(exit)
    this.totals.push({
      transactions: this.transactions.length,
      l2Transactions,
      feeUnits: before.feeUnits + feeSumUnits(batch.historicTotalCollectedFeesUSD),
      accounts: this.accounts.table.length,
      accountUpdates: this.accounts.updateCount,
      exits: this.exits.table.length,
      lastForgedQueue: queue === null
        ? before.lastForgedQueue
        : Math.max(queue, before.lastForgedQueue ?? queue),
      forged
    })
  }

  /**
   * Removes the batches above `lastBatchNum`. The transactions that they forged return to their
   * queues under their earlier item ids.
   */
  truncate(lastBatchNum: number): void {
    const target = this.totals[lastBatchNum]!
    while (this.totals.length > lastBatchNum + 1) {
      const { forged } = this.totals.pop()!
      const { forgeL1TransactionsNum } = this.batches.removeLast()
      if (forgeL1TransactionsNum !== null) this.queues.unforge(forgeL1TransactionsNum, forged)
    }
    while (this.transactions.length > target.transactions) {
      this.positionById.delete(this.transactions.removeLast().id)
    }
    this.exits.table.truncate(target.exits)
    this.accounts.truncate(target.accounts, target.accountUpdates)
  }

  private newRow(transaction: New<Transaction>): Transaction {
    const to = this.accounts.find(transaction.toAccountIndex)
    return transactionRow(this.transactionIds.take(), transaction, this.senderOf(transaction), to)
  }

  private senderOf({ fromAccountIndex }: New<Transaction>): Account | undefined {
    return fromAccountIndex === null ? undefined : this.accounts.find(fromAccountIndex)
  }

  private addTransaction(row: Transaction): void {
    this.positionById.set(row.id, this.transactions.length)
    this.transactions.append(row)
  }
}
