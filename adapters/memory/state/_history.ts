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
import type { AccountChange } from "../../../core/ports/mod.ts"
import { IndexedRows, ItemIds, Table } from "../filter_index/mod.ts"
import { TransactionRows } from "../segments/mod.ts"
import { Accounts } from "./_accounts.ts"
import { Exits } from "./_exits.ts"
import { Queues } from "./_queues.ts"
import { completedRow, forgedRow, frozenCopy, transactionRow } from "./_rows.ts"
import type { BatchTotals, LedgerLists } from "./ledger_image.ts"
import { facetsOf } from "./list_facets.ts"

/** Sums over the L1 user transactions that were forged. */
interface L1Totals {
  readonly transactions: number
  /** Time between the blocks that queued and that forged them. */
  readonly waitMs: bigint
}
const zeroL1Totals: L1Totals = { transactions: 0, waitMs: 0n }

type Range = readonly [from: number, to: number]

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
  readonly batches = new Table<Batch>(facetsOf("batches"))
  readonly transactions: IndexedRows<Transaction, TransactionRows>
  readonly accounts = new Accounts()
  readonly exits = new Exits()
  readonly queues = new Queues()
  /** Queued and forged transactions share their item ids. */
  readonly transactionIds = new ItemIds()
  /** By batch number; the first element is for batch 0. */
  private totals: Array<BatchTotals> = [zeroTotals]
  /** By batch number; follows from `totals`. */
  private l1Totals: Array<L1Totals> = [zeroL1Totals]

  constructor() {
    this.transactions = new IndexedRows(
      facetsOf("transactions"),
      new TransactionRows((index) => this.accounts.find(index)),
      this.transactionIds
    )
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

  /** As `totalsAfter`. */
  l1TotalsAfter(batchNum: number): L1Totals {
    return this.l1Totals[batchNum] ?? (batchNum < 0 ? zeroL1Totals : this.l1Totals.at(-1)!)
  }

  /** Returns the positions [from, to) of a batch's transactions; empty if the batch is unknown. */
  transactionRange(batchNum: number): Range {
    return [this.totalsAfter(batchNum - 1).transactions, this.totalsAfter(batchNum).transactions]
  }

  /** Returns the positions [from, to) of a batch's exits; empty if the batch is unknown. */
  exitRange(batchNum: number): Range {
    return [this.totalsAfter(batchNum - 1).exits, this.totalsAfter(batchNum).exits]
  }

  /** Returns the accounts that a batch created or changed; empty if the batch is unknown. */
  accountChanges(batchNum: number): ReadonlyArray<AccountChange> {
    return this.accounts.changes(
      this.totalsAfter(batchNum - 1).accountUpdates,
      this.totalsAfter(batchNum).accountUpdates
    )
  }

  /** Returns a forged or queued transaction as it is stored. */
  transaction(id: TransactionId): Transaction | undefined {
    const { rows } = this.transactions
    const position = rows.positionOf(id)
    return position === undefined ? this.queues.find(id) : rows.at(position)
  }

  /**
   * Returns a forged or queued transaction. A queued one includes the addresses and public keys of
   * accounts that were created after it was queued.
   */
  completedTransaction(id: TransactionId): Transaction | undefined {
    const row = this.transaction(id)
    return row === undefined || row.batchNum !== null ? row : this.completed(row)
  }

  /** Returns the queued transactions, completed as above, in the order of their item ids. */
  queuedTransactions(): ReadonlyArray<Transaction> {
    return this.queues.transactions()
      .map((row) => this.completed(row))
      .sort((one, other) => one.itemId - other.itemId)
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
    for (const update of changes.accountUpdates) this.accounts.update(update.index, update)
    const queue = batch.forgeL1TransactionsNum
    const forged = queue === null ? [] : this.queues.forge(queue)
    for (const [position, queued] of forged.entries()) {
      const effect = changes.forged[position]!
      const to = this.accounts.find(queued.toAccountIndex)
      this.transactions.append(
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
      this.transactions.append(this.newRow(transaction))
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
    this.addL1Totals(batch.timestampMs, forged)
  }

  /**
   * Removes the batches above `lastBatchNum`. The transactions that they forged return to their
   * queues under their earlier item ids.
   */
  truncate(lastBatchNum: number): void {
    const target = this.totals[lastBatchNum]!
    while (this.totals.length > lastBatchNum + 1) {
      const { forged } = this.totals.pop()!
      this.l1Totals.pop()
      const { forgeL1TransactionsNum } = this.batches.removeLast()
      if (forgeL1TransactionsNum !== null) this.queues.unforge(forgeL1TransactionsNum, forged)
    }
    this.transactions.truncate(target.transactions)
    this.exits.table.truncate(target.exits)
    this.accounts.truncate(target.accounts, target.accountUpdates)
  }

  lists() {
    const { rows } = this.transactions
    return {
      batches: [...this.batches.rows],
      totals: [...this.totals],
      transactionSegments: [...rows.segments],
      transactions: [...rows.tail],
      ...this.accounts.lists(),
      ...this.exits.lists(),
      enqueued: this.queues.list()
    }
  }

  /** Adds the lists of an image to an empty history, except the index of the transactions. */
  restore(lists: LedgerLists): void {
    this.accounts.restore(lists)
    this.exits.restore(lists)
    this.batches.restore(lists.batches.map(frozenCopy))
    const shared = (row: Transaction) =>
      transactionRow(row.itemId, row, this.senderOf(row), this.accounts.find(row.toAccountIndex))
    const enqueued = lists.enqueued.map(shared)
    const byId = new Map(enqueued.map((row) => [row.id, row]))
    // a forged transaction is the same object as in its queue
    this.totals = lists.totals.map((total) =>
      total.forged.length === 0
        ? total
        : { ...total, forged: total.forged.map(({ id }) => byId.get(id)!) }
    )
    for (const [i, { timestampMs }] of lists.batches.entries()) {
      this.addL1Totals(timestampMs, this.totals[i + 1]!.forged)
    }
    this.queues.restore(enqueued, this.totals.flatMap(({ forged }) => forged))
    this.transactions.rows.restore(lists.transactionSegments, lists.transactions.map(shared))
    this.transactions.reindex()
  }

  private addL1Totals(timestampMs: number, forged: ReadonlyArray<Transaction>): void {
    const { transactions, waitMs } = this.l1Totals.at(-1)!
    this.l1Totals.push({
      transactions: transactions + forged.length,
      waitMs: forged.reduce((sum, queued) => sum + BigInt(timestampMs - queued.timestampMs), waitMs)
    })
  }

  private completed(queued: Transaction): Transaction {
    return completedRow(queued, this.senderOf(queued), this.accounts.find(queued.toAccountIndex))
  }

  private newRow(transaction: New<Transaction>): Transaction {
    const to = this.accounts.find(transaction.toAccountIndex)
    return transactionRow(this.transactionIds.take(), transaction, this.senderOf(transaction), to)
  }

  private senderOf({ fromAccountIndex }: New<Transaction>): Account | undefined {
    return fromAccountIndex === null ? undefined : this.accounts.find(fromAccountIndex)
  }
}
