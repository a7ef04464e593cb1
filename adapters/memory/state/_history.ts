import type { Batch, Exit, Transaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import {
  type AccountChange,
  type LedgerTotals,
  noTotals,
  type PlacedBatch
} from "../../../core/ports/mod.ts"
import { IndexedRows, Table } from "../filter_index/mod.ts"
import { TransactionRows } from "../row_groups/mod.ts"
import { Accounts } from "./_accounts.ts"
import { Exits } from "./_exits.ts"
import { Queues } from "./_queues.ts"
import { frozen } from "./_frozen.ts"
import type { LedgerLists, StoredBatch } from "./ledger_image.ts"
import { indexKeysOf } from "./list_index_keys.ts"

type Range = readonly [from: number, to: number]

const noBatch: StoredBatch = {
  totals: noTotals,
  accountUpdates: 0,
  exits: 0,
  lastForgedQueue: null
}

/**
 * The batches with their transactions, accounts and exits, and the queues. Batch numbers are
 * consecutive from 1, so batch n is at position n − 1.
 */
export class History {
  readonly batches = new Table<Batch>(indexKeysOf("batches"))
  readonly transactions: IndexedRows<Transaction, TransactionRows>
  readonly accounts = new Accounts()
  readonly exits = new Exits()
  readonly queues = new Queues()
  /** By batch number; the first element is for batch 0. */
  private stored: Array<StoredBatch> = [noBatch]

  constructor() {
    this.transactions = new IndexedRows(
      indexKeysOf("transactions"),
      new TransactionRows((index) => this.accounts.find(index))
    )
  }

  get lastBatchNum(): number {
    return this.batches.length
  }

  batch(batchNum: number): Batch | undefined {
    return this.batches.rows[batchNum - 1]
  }

  /** The greatest queue that was forged; null before the first one. */
  get lastForgedQueue(): number | null {
    return this.stored.at(-1)!.lastForgedQueue
  }

  /** Returns the totals after a batch: zero below batch 1, those of the last batch above it. */
  totalsAfter(batchNum: number): LedgerTotals {
    return this.storedAfter(batchNum).totals
  }

  /** Returns the positions [from, to) of a batch's transactions; empty if the batch is unknown. */
  transactionRange(batchNum: number): Range {
    return [this.totalsAfter(batchNum - 1).transactions, this.totalsAfter(batchNum).transactions]
  }

  /** Returns the positions [from, to) of a batch's exits; empty if the batch is unknown. */
  exitRange(batchNum: number): Range {
    return [this.storedAfter(batchNum - 1).exits, this.storedAfter(batchNum).exits]
  }

  /** Returns the accounts that a batch created or changed; empty if the batch is unknown. */
  accountChanges(batchNum: number): ReadonlyArray<AccountChange> {
    return this.accounts.changes(
      this.storedAfter(batchNum - 1).accountUpdates,
      this.storedAfter(batchNum).accountUpdates
    )
  }

  /** Returns whether a forged or queued transaction has the id. */
  hasTransaction(id: TransactionId): boolean {
    return this.transactions.rows.positionOf(id) !== undefined || this.queues.find(id) !== undefined
  }

  /**
   * Returns a forged or queued transaction. A queued one includes the addresses and public keys of
   * accounts that were created after it was queued.
   */
  transaction(id: TransactionId): Transaction | undefined {
    const { rows } = this.transactions
    const position = rows.positionOf(id)
    if (position !== undefined) return rows.at(position)
    const queued = this.queues.find(id)
    return queued && this.completed(queued)
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

  addBatch(placed: PlacedBatch): void {
    const { batch, lastForgedQueue, totals } = placed
    this.batches.append(frozen(batch))
    for (const change of placed.accountChanges) this.accounts.change(change)
    if (batch.forgeL1TransactionsNum !== null) this.queues.forge(batch.forgeL1TransactionsNum)
    for (const transaction of placed.transactions) this.transactions.append(transaction)
    for (const exit of placed.exits) this.exits.add(exit)
    this.stored.push({
      totals,
      accountUpdates: this.accounts.updateCount,
      exits: this.exits.table.length,
      lastForgedQueue
    })
  }

  /**
   * Removes the batches above `lastBatchNum`. The transactions that they forged return to their
   * queues under their earlier item ids.
   */
  truncate(lastBatchNum: number): void {
    const { accountUpdates, exits, totals } = this.stored[lastBatchNum]!
    while (this.stored.length > lastBatchNum + 1) {
      this.stored.pop()
      this.batches.removeLast()
    }
    // queues are forged in order
    this.queues.unforge((this.lastForgedQueue ?? -1) + 1)
    this.transactions.truncate(totals.transactions)
    this.exits.table.truncate(exits)
    this.accounts.truncate(totals.accounts, accountUpdates)
  }

  lists() {
    const { rows } = this.transactions
    return {
      batches: [...this.batches.rows],
      storedBatches: [...this.stored],
      transactionRowGroups: [...rows.rowGroups],
      transactions: [...rows.tail],
      ...this.accounts.lists(),
      ...this.exits.lists(),
      ...this.queues.lists()
    }
  }

  /** Adds the lists of an image to an empty history, except the index of the transactions. */
  restore(lists: LedgerLists): void {
    this.accounts.restore(lists)
    this.exits.restore(lists)
    this.batches.restore(lists.batches.map(frozen))
    this.stored = [...lists.storedBatches]
    this.queues.restore(
      lists.enqueuedRowGroups,
      lists.enqueued,
      this.lastForgedQueue
    )
    this.transactions.rows.restore(lists.transactionRowGroups, lists.transactions)
    this.transactions.reindex()
  }

  private storedAfter(batchNum: number): StoredBatch {
    return this.stored[batchNum] ?? (batchNum < 0 ? noBatch : this.stored.at(-1)!)
  }

  /** Returns a queued transaction with the address and the public keys that its accounts add. */
  private completed(queued: Transaction): Transaction {
    const { fromAccountIndex, toAccountIndex } = queued
    const from = fromAccountIndex === null ? undefined : this.accounts.find(fromAccountIndex)
    const to = this.accounts.find(toAccountIndex)
    return {
      ...queued,
      fromPublicKey: queued.fromPublicKey ?? from?.publicKey ?? null,
      toAddress: queued.toAddress ?? to?.address ?? null,
      toPublicKey: queued.toPublicKey ?? to?.publicKey ?? null
    }
  }
}
