import { Context, Effect, Layer } from "effect"
import type {
  Authorization,
  PoolTransaction,
  PoolTransition,
  SkippedTransaction
} from "../../../core/domain/mod.ts"
import type { EthereumAddress, PublicKey, TransactionId } from "../../../core/encoding/mod.ts"
import {
  type AddResult,
  type PoolChange,
  type Pooled,
  type PoolLimits,
  PoolStore,
  PoolTip,
  type SettledBatch
} from "../../../core/ports/mod.ts"
import { frozenCopy } from "../_frozen_copy.ts"
import { type PoolRow, PoolRows, rowOf } from "./_pool_rows.ts"
import { firstNot } from "../_binary_search.ts"

/** A pool in memory. Transitions are kept for as long as the pool lives. */
export interface MemoryPoolStore extends Context.Service.Shape<typeof PoolStore> {
  /** For who writes a long history at once and reads nothing meanwhile, nor sets limits: ends with the call that it returns. */
  readonly postponeOrders: () => () => void
  readonly tip: PoolTip
}

/** Opens an empty pool. */
export const openMemoryPool = (): MemoryPoolStore => {
  const pool = new MemoryPool()
  const { marks, rows } = pool
  return {
    transaction: (id) => Effect.sync(() => rows.get(id)?.pooled.transaction ?? null),
    authorization: (address) => Effect.sync(() => pool.authorizations.get(address) ?? null),
    transitions: (id) => Effect.sync(() => [...pool.transitions.get(id) ?? []]),
    skippedTransaction: (id) => Effect.sync(() => pool.skippedTransactions.get(id) ?? null),
    counts: Effect.sync(() => rows.counts),
    pooled: (ids) => Effect.sync(() => ids.flatMap((id) => rows.get(id)?.pooled ?? [])),
    pendingOf: (index) => Effect.sync(() => rows.pendingOf(index)),
    pendingTokens: Effect.sync(() => [...rows.byFee.keys()].sort((one, other) => one - other)),
    pendingByFee: ({ tokenId, after, limit }) =>
      Effect.sync(() => take(pool.pendingByFee(tokenId, after), () => true, limit)),
    pendingSince: ({ beforeMs, limit }) =>
      Effect.sync(() =>
        take(rows.bySince.from(() => false), ({ pooled }) => pooled.sinceMs < beforeMs, limit)
      ),
    pendingBelow: (nonces) =>
      Effect.sync(() =>
        nonces.flatMap(({ index, nonce }) =>
          take(
            rows.byNonce.get(index)?.from(() => false) ?? [],
            ({ pooled }) => pooled.transaction.nonce < nonce
          )
        )
      ),
    inBatches: ({ state, from, to }) =>
      Effect.sync(() =>
        take(
          rows.byBatch[state].from((row) => batchNumOf(row) < from),
          (row) => batchNumOf(row) <= to
        )
      ),
    settledBatchesBelow: ({ batchNum, limit }) =>
      Effect.sync(() => {
        const end = firstNot(0, marks.length, (index) => marks[index]!.batchNum < batchNum)
        return marks.slice(Math.max(0, end - limit), end).reverse()
      }),
    addTransaction: (transaction, sender, limits) =>
      Effect.sync(() => pool.addTransaction(frozenCopy(transaction), sender, limits)),
    addAuthorization: (authorization) =>
      Effect.sync(() => pool.addAuthorization(frozenCopy(authorization))),
    change: (changes, atMs) => Effect.sync(() => pool.change(changes, atMs)),
    settle: (step, atMs) => Effect.sync(() => pool.settle(step, atMs)),
    skip: (notes) =>
      Effect.sync(() => {
        for (const note of notes) {
          if (rows.get(note.id)?.pooled.transaction.state === "pend") {
            pool.skippedTransactions.set(note.id, note)
          }
        }
      }),
    postponeOrders: () => {
      rows.postpone()
      return () => rows.orderAll()
    },
    tip: {
      version: () => pool.writes,
      // an authorization never changes; nothing else has as many steps twice
      versionOf: (key) => pool.transitions.get(key)?.length ?? 0
    }
  }
}

/** A pool of its own for each time the layer is built. */
export const poolLayer: Layer.Layer<PoolStore> = Layer.effectContext(
  Effect.sync(() => poolContext(openMemoryPool()))
)

/** Serves the port from a pool that is open already. */
const poolContext = (pool: MemoryPoolStore): Context.Context<PoolStore> =>
  Context.make(PoolStore, pool).pipe(Context.add(PoolTip, pool.tip))

/** Each call runs to its end before the next one begins: that makes it atomic. */
class MemoryPool {
  readonly rows = new PoolRows()
  readonly marks: Array<SettledBatch> = []
  readonly authorizations = new Map<EthereumAddress, Authorization>()
  readonly transitions = new Map<TransactionId, Array<PoolTransition>>()
  readonly skippedTransactions = new Map<TransactionId, SkippedTransaction>()
  /** How many writes there were. */
  writes = 0
  #arrivals = 0

  addTransaction(
    transaction: PoolTransaction,
    sender: PublicKey,
    { pendingMax, pendingPerAccountMax }: PoolLimits
  ): AddResult {
    const known = this.rows.get(transaction.id)
    if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    if (this.rows.counts.pend >= pendingMax) return { kind: "full", limit: "pendingMax" }
    if (this.rows.pendingOf(transaction.fromAccountIndex) >= pendingPerAccountMax) {
      return { kind: "full", limit: "pendingPerAccountMax" }
    }
    const { batchNum, id, state: to, timestampMs: atMs } = transaction
    this.writes++
    this.rows.add({ transaction, sender, sinceMs: atMs, arrival: this.#arrivals++ })
    this.#note({ id, from: null, to, atMs, batchNum, reason: "Posted" })
    return { kind: "added" }
  }

  addAuthorization(authorization: Authorization) {
    const known = this.authorizations.get(authorization.address)
    if (known !== undefined) return { added: false, authorization: known }
    this.writes++
    this.authorizations.set(authorization.address, authorization)
    return { added: true, authorization }
  }

  change(changes: ReadonlyArray<PoolChange>, atMs: number): ReadonlyArray<TransactionId> {
    return changes.filter((change) => this.#changeOne(change, atMs)).map(({ id }) => id)
  }

  settle(
    { changes, from, to }: {
      readonly from: SettledBatch | null
      readonly to: SettledBatch | null
      readonly changes: ReadonlyArray<PoolChange>
    },
    atMs: number
  ): ReadonlyArray<TransactionId> | null {
    if (!isSameMark(this.marks.at(-1) ?? null, from)) return null
    const kept = to === null
      ? 0
      : firstNot(0, this.marks.length, (index) => this.marks[index]!.batchNum < to.batchNum)
    this.marks.length = kept
    if (to !== null) this.marks.push(to)
    return this.change(changes, atMs)
  }

  *pendingByFee(tokenId: number, after: Pooled | null): Generator<PoolRow> {
    const order = this.rows.byFee.get(tokenId)
    if (order === undefined) return
    yield* after === null ? order.from(() => false) : order.after(rowOf(after))
  }

  #changeOne({ batchNum, from, fromBatchNum, id, reason, to }: PoolChange, atMs: number): boolean {
    const row = this.rows.get(id)
    if (
      row?.pooled.transaction.state !== from || row.pooled.transaction.batchNum !== fromBatchNum
    ) return false
    this.writes++
    this.rows.remove(row)
    this.skippedTransactions.delete(id)
    if (to !== null) {
      this.rows.add({
        ...row.pooled,
        sinceMs: atMs,
        transaction: { ...row.pooled.transaction, state: to, batchNum }
      })
    }
    this.#note({ id, from, to, atMs, batchNum, reason })
    return true
  }

  #note(transition: PoolTransition): void {
    const known = this.transitions.get(transition.id)
    if (known === undefined) this.transitions.set(transition.id, [transition])
    else known.push(transition)
  }
}

const batchNumOf = ({ pooled }: PoolRow): number => pooled.transaction.batchNum ?? 0

const isSameMark = (a: SettledBatch | null, b: SettledBatch | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.batchNum === b.batchNum &&
    a.ethereumBlockHash === b.ethereumBlockHash)

/** The beginning of the rows that has the property, at most `limit` of them. */
function take(
  rows: Iterable<PoolRow>,
  holds: (row: PoolRow) => boolean,
  limit = Infinity
): ReadonlyArray<Pooled> {
  const taken: Array<Pooled> = []
  for (const row of rows) {
    if (taken.length >= limit || !holds(row)) break
    taken.push(row.pooled)
  }
  return taken
}
