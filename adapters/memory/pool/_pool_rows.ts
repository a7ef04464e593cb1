import { feeUnits, type PoolState, type TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import type { Pooled } from "../../../core/ports/mod.ts"
import { SortedList } from "./_sorted_list.ts"

/** A transaction with what its orders compare, computed once. */
export interface PoolRow {
  readonly pooled: Pooled
  readonly feeUnits: bigint
}

type ForgingState = Exclude<PoolState, "pend">

/** The transactions of a pool in every order that is asked for; what is not in a pool is in none of them. */
export class PoolRows {
  readonly bySince = new SortedList<PoolRow>((a, b) =>
    a.pooled.sinceMs - b.pooled.sinceMs || byArrival(a, b)
  )
  readonly byFee = new Map<TokenId, SortedList<PoolRow>>()
  readonly byNonce = new Map<AccountIndex, SortedList<PoolRow>>()
  readonly byBatch: { readonly [State in ForgingState]: SortedList<PoolRow> } = {
    fing: new SortedList(compareBatch),
    fged: new SortedList(compareBatch),
    invl: new SortedList(compareBatch)
  }
  readonly #byId = new Map<TransactionId, PoolRow>()
  #postponed = false

  get(id: TransactionId): PoolRow | undefined {
    return this.#byId.get(id)
  }

  get counts(): { readonly [State in PoolState]: number } {
    const { fged, fing, invl } = this.byBatch
    return { pend: this.bySince.length, fing: fing.length, fged: fged.length, invl: invl.length }
  }

  pendingOf(index: AccountIndex): number {
    return this.byNonce.get(index)?.length ?? 0
  }

  /** Until `orderAll` transactions are found by their ids alone: what comes and goes in between is never ordered. */
  postpone(): void {
    this.#postponed = true
  }

  orderAll(): void {
    this.#postponed = false
    for (const { pooled } of this.#byId.values()) this.add(pooled)
  }

  add(pooled: Pooled): void {
    if (this.#postponed) {
      this.#byId.set(pooled.transaction.id, { pooled, feeUnits: 0n })
      return
    }
    const row = rowOf(pooled)
    this.#byId.set(pooled.transaction.id, row)
    for (const order of this.#ordersOf(row)) order.add(row)
  }

  remove(row: PoolRow): void {
    const { fromAccountIndex, id, tokenId } = row.pooled.transaction
    this.#byId.delete(id)
    if (this.#postponed) return
    for (const order of this.#ordersOf(row)) order.remove(row)
    // what is empty is forgotten, or every account that was ever seen would stay
    dropEmpty(this.byFee, tokenId)
    dropEmpty(this.byNonce, fromAccountIndex)
  }

  #ordersOf(
    { pooled: { transaction: { fromAccountIndex, state, tokenId } } }: PoolRow
  ): ReadonlyArray<SortedList<PoolRow>> {
    if (state !== "pend") return [this.byBatch[state]]
    return [
      this.bySince,
      orderIn(this.byFee, tokenId, (a, b) => compare(b.feeUnits, a.feeUnits) || byArrival(a, b)),
      orderIn(
        this.byNonce,
        fromAccountIndex,
        (a, b) => compare(a.pooled.transaction.nonce, b.pooled.transaction.nonce) || byArrival(a, b)
      )
    ]
  }
}

/** What stands for a transaction in the orders, whether it is in them or not. */
export const rowOf = (pooled: Pooled): PoolRow => ({
  pooled,
  feeUnits: feeUnits(pooled.transaction)
})

/** A number for every state but pending. */
const compareBatch = (a: PoolRow, b: PoolRow): number =>
  (a.pooled.transaction.batchNum ?? 0) - (b.pooled.transaction.batchNum ?? 0) || byArrival(a, b)
const byArrival = (a: PoolRow, b: PoolRow): number => a.pooled.arrival - b.pooled.arrival
const compare = (a: bigint, b: bigint): number => a < b ? -1 : a > b ? 1 : 0

function orderIn<Key>(
  orders: Map<Key, SortedList<PoolRow>>,
  key: Key,
  by: (a: PoolRow, b: PoolRow) => number
): SortedList<PoolRow> {
  const found = orders.get(key)
  if (found !== undefined) return found
  const order = new SortedList(by)
  orders.set(key, order)
  return order
}

function dropEmpty<Key>(orders: Map<Key, SortedList<PoolRow>>, key: Key): void {
  if (orders.get(key)?.length === 0) orders.delete(key)
}
