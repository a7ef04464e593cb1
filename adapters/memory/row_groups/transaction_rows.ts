import type { Transaction } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import { hashOfId, idAt, idHashAt } from "./_columns.ts"
import { GroupedRows } from "./grouped_rows.ts"
import {
  type OwnerOf,
  transactionCodec,
  type TransactionColumns,
  TransactionKeys
} from "./transaction_columns.ts"

/** The forged transactions in the order of their item ids, and their positions by id. */
export class TransactionRows extends GroupedRows<Transaction, TransactionColumns> {
  private readonly ownerOf: OwnerOf
  /** The positions of the open rows. */
  private readonly openPositions = new Map<TransactionId, number>()
  /**
   * A hash table of the sealed rows: positions plus one, 0 if a slot is empty. Positions that were
   * unsealed stay in it; they are recognised by their id, or by their position.
   */
  private slots = new Uint32Array(slotsMin)
  private usedSlots = 0

  constructor(ownerOf: OwnerOf, perGroup?: number) {
    super(transactionCodec(ownerOf), perGroup)
    this.ownerOf = ownerOf
  }

  /** Returns the row at a position with at least the members that an index reads. */
  keysAt(position: number): Transaction {
    return position >= this.sealedLength
      ? this.tail[position - this.sealedLength]!
      // the index keys of transactions read no other member
      : new TransactionKeys(
        this.rowGroups[Math.floor(position / this.perGroup)]!,
        position % this.perGroup,
        this.ownerOf
      ) as Pick<Transaction, keyof TransactionKeys> as Transaction
  }

  /** Returns the position of a transaction; undefined if there is none. */
  positionOf(id: TransactionId): number | undefined {
    const open = this.openPositions.get(id)
    if (open !== undefined) return open
    for (let slot = this.slotOf(hashOfId(id));; slot = this.slotAfter(slot)) {
      const position = this.slots[slot]! - 1
      if (position < 0) return undefined
      if (position < this.sealedLength && this.idAt(position) === id) return position
    }
  }

  override push(row: Transaction): number {
    this.openPositions.set(row.id, this.length)
    return super.push(row)
  }

  override pop(): Transaction | undefined {
    const row = super.pop()
    if (row !== undefined) this.openPositions.delete(row.id)
    return row
  }

  override restore(
    rowGroups: ReadonlyArray<TransactionColumns>,
    tail: ReadonlyArray<Transaction>
  ): void {
    super.restore(rowGroups, tail)
    this.openPositions.clear()
    for (const [i, { id }] of tail.entries()) this.openPositions.set(id, this.sealedLength + i)
    this.rebuildSlots()
  }

  protected override seal(): TransactionColumns {
    const from = this.sealedLength
    const columns = super.seal()
    for (let i = 0; i < this.perGroup; i++) this.openPositions.delete(idAt(columns.ids, i))
    if (2 * (this.usedSlots + this.perGroup) > this.slots.length) this.rebuildSlots()
    else this.addRowGroup(columns, from)
    return columns
  }

  protected override unseal(): void {
    super.unseal()
    for (const [i, { id }] of this.tail.entries()) {
      this.openPositions.set(id, this.sealedLength + i)
    }
  }

  private idAt(position: number): TransactionId {
    const { ids } = this.rowGroups[Math.floor(position / this.perGroup)]!
    return idAt(ids, position % this.perGroup)
  }

  private rebuildSlots(): void {
    let length = slotsMin
    while (length < 4 * this.sealedLength) length *= 2
    this.slots = new Uint32Array(length)
    this.usedSlots = 0
    for (const [i, columns] of this.rowGroups.entries()) {
      this.addRowGroup(columns, i * this.perGroup)
    }
  }

  private addRowGroup({ ids }: TransactionColumns, from: number): void {
    for (let i = 0; i < this.perGroup; i++) {
      let slot = this.slotOf(idHashAt(ids, i))
      while (this.slots[slot] !== 0) slot = this.slotAfter(slot)
      this.slots[slot] = from + i + 1
      this.usedSlots++
    }
  }

  private slotOf(hash: number): number {
    return hash & this.slots.length - 1
  }

  private slotAfter(slot: number): number {
    return slot + 1 & this.slots.length - 1
  }
}

/** A power of two. */
const slotsMin = 1024
