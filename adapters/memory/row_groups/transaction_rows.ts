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
  /**
   * A hash table of the rows: positions plus one, 0 if a slot is empty. Positions of removed rows stay
   * in it; they are recognised by their id, or by their position.
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
    for (let slot = this.slotOf(hashOfId(id));; slot = this.slotAfter(slot)) {
      const position = this.slots[slot]! - 1
      if (position < 0) return undefined
      if (position < this.length && this.idAt(position) === id) return position
    }
  }

  override push(row: Transaction): number {
    const length = super.push(row)
    if (2 * this.usedSlots < this.slots.length) this.addSlot(hashOfId(row.id), length)
    else this.rebuildSlots()
    return length
  }

  override restore(
    rowGroups: ReadonlyArray<TransactionColumns>,
    tail: ReadonlyArray<Transaction>
  ): void {
    super.restore(rowGroups, tail)
    this.rebuildSlots()
  }

  private idAt(position: number): TransactionId {
    if (position >= this.sealedLength) return this.tail[position - this.sealedLength]!.id
    const { ids } = this.rowGroups[Math.floor(position / this.perGroup)]!
    return idAt(ids, position % this.perGroup)
  }

  private rebuildSlots(): void {
    let length = slotsMin
    while (length < 4 * this.length) length *= 2
    this.slots = new Uint32Array(length)
    this.usedSlots = 0
    let end = 0
    for (const { ids } of this.rowGroups) {
      for (let i = 0; i < this.perGroup; i++) this.addSlot(idHashAt(ids, i), ++end)
    }
    for (const { id } of this.tail) this.addSlot(hashOfId(id), ++end)
  }

  /** Adds the row with a hash; `end` is its position plus one. */
  private addSlot(hash: number, end: number): void {
    let slot = this.slotOf(hash)
    while (this.slots[slot] !== 0) slot = this.slotAfter(slot)
    this.slots[slot] = end
    this.usedSlots++
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
