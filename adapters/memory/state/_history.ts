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
import { Accounts } from "./_accounts.ts"
import { Exits } from "./_exits.ts"
import { frozenCopy } from "../_frozen_copy.ts"
import { facetsOf } from "./list_facets.ts"
import { Queues } from "./_queues.ts"
import { completedRow, forgedRow, transactionRow } from "./_rows.ts"
import { ItemIds, Table } from "../filter_index/mod.ts"

type Stretch = readonly [from: number, to: number]

/** How much there was after a batch: where its rows end, and sums over it and all before it. */
export interface BatchTotals {
  readonly transactions: number
  readonly l2Transactions: number
  readonly feeUnits: bigint
  readonly accounts: number
  readonly accountUpdates: number
  readonly exits: number
  /** The greatest queue that was forged until then. */
  readonly lastForgedQueue: number | null
  /** What this batch took out of its queue, as it stood there. */
  readonly forged: ReadonlyArray<Transaction>
}

const start: BatchTotals = {
  transactions: 0,
  l2Transactions: 0,
  feeUnits: 0n,
  accounts: 0,
  accountUpdates: 0,
  exits: 0,
  lastForgedQueue: null,
  forged: []
}

/** What the batches brought. Their numbers are consecutive from 1, so batch n stands at position n − 1. */
export class History {
  readonly batches = new Table(facetsOf("batches"))
  readonly transactions: Table<Transaction>
  readonly accounts = new Accounts()
  readonly exits = new Exits()
  readonly queues = new Queues()
  /** Shared by the queues and the history. */
  readonly transactionIds = new ItemIds()
  private readonly positionById = new Map<TransactionId, number>()
  /** By batch number; the first one is the start. */
  private readonly marks: Array<BatchTotals> = [start]

  constructor() {
    this.transactions = new Table(facetsOf("transactions"), this.transactionIds)
  }

  get lastBatchNum(): number {
    return this.batches.length
  }

  batch(batchNum: number): Batch | undefined {
    return this.batches.rows[batchNum - 1]
  }

  /** How much there was after a batch; batch 0 is the start, and for a batch that is yet to come there is what there is now. */
  mark(batchNum: number): BatchTotals {
    return this.marks[batchNum] ?? (batchNum < 0 ? start : this.marks.at(-1)!)
  }

  /** Positions of a batch's transactions; empty for a batch that is not there. */
  transactionsOf(batchNum: number): Stretch {
    return [this.mark(batchNum - 1).transactions, this.mark(batchNum).transactions]
  }

  exitsOf(batchNum: number): Stretch {
    return [this.mark(batchNum - 1).exits, this.mark(batchNum).exits]
  }

  /** Forged or queued. */
  transaction(id: TransactionId): Transaction | undefined {
    const position = this.positionById.get(id)
    return position === undefined ? this.queues.find(id) : this.transactions.rows[position]
  }

  /** As it is shown: a queued one with what the accounts that it names tell by now, also those created since it was queued. */
  shownTransaction(id: TransactionId): Transaction | undefined {
    const row = this.transaction(id)
    return row === undefined || row.batchNum !== null
      ? row
      : completedRow(row, this.senderOf(row), this.accounts.find(row.toAccountIndex))
  }

  exit(batchNum: number, accountIndex: AccountIndex): Exit | undefined {
    return this.exits.table.rows[this.exits.positionIn(this.exitsOf(batchNum), accountIndex)]
  }

  enqueue(row: New<Transaction>): void {
    this.queues.enter(
      transactionRow(
        this.transactionIds.take(),
        row,
        this.senderOf(row),
        this.accounts.find(row.toAccountIndex)
      )
    )
  }

  add(changes: BatchChanges): void {
    const { batch } = changes
    const before = this.marks.at(-1)!
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
    for (const row of changes.transactions) {
      this.addTransaction(
        transactionRow(
          this.transactionIds.take(),
          row,
          this.senderOf(row),
          this.accounts.find(row.toAccountIndex)
        )
      )
      if (row.l2 !== null) l2Transactions++
    }
    for (const exit of changes.exits) this.exits.add(exit)
    this.marks.push({
      transactions: this.transactions.length,
      l2Transactions,
      feeUnits: before.feeUnits + feeSumUnits(batch.historicTotalCollectedFeesUSD),
      accounts: this.accounts.table.length,
      accountUpdates: this.accounts.updates,
      exits: this.exits.table.length,
      lastForgedQueue: queue === null
        ? before.lastForgedQueue
        : Math.max(queue, before.lastForgedQueue ?? queue),
      forged
    })
  }

  /** Drops the batches above; what they forged waits again, under the item ids it had in its queue. */
  truncate(lastBatchNum: number): void {
    const left = this.marks[lastBatchNum]!
    while (this.marks.length > lastBatchNum + 1) {
      const { forged } = this.marks.pop()!
      const { forgeL1TransactionsNum } = this.batches.removeLast()
      if (forgeL1TransactionsNum !== null) this.queues.unforge(forgeL1TransactionsNum, forged)
    }
    while (this.transactions.length > left.transactions) {
      this.positionById.delete(this.transactions.removeLast().id)
    }
    this.exits.table.truncate(left.exits)
    this.accounts.truncate(left.accounts, left.accountUpdates)
  }

  private senderOf({ fromAccountIndex }: New<Transaction>): Account | undefined {
    return fromAccountIndex === null ? undefined : this.accounts.find(fromAccountIndex)
  }

  private addTransaction(row: Transaction): void {
    this.positionById.set(row.id, this.transactions.length)
    this.transactions.append(row)
  }
}
