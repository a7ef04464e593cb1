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
import { firstNot } from "../_binary_search.ts"
import { frozenCopy } from "../state/mod.ts"
import { type PoolRow, PoolRows, rowOf } from "./_pool_rows.ts"

/**
 * A transaction pool in memory. Each call is synchronous and atomic. Transitions of all
 * transactions stay in memory until the pool is dropped.
 */
export interface MemoryPoolStore extends Context.Service.Shape<typeof PoolStore> {
  /**
   * Stops sorting the transactions, so that a long history is loaded faster. Call the result at the
   * end. Until then only reads by id are correct, and limits do not apply.
   */
  readonly postponeSorting: () => () => void
  /** The versions of the pool and of its transactions. */
  readonly tip: PoolTip
}

/**
 * Opens an empty pool.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { openMemoryPool } from "rollup-node-api/memory"
 *
 * const pool = openMemoryPool()
 * const authorization = {
 *   address: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
 *   publicKey: "01".repeat(32),
 *   signature: `0x${"1".repeat(130)}`,
 *   timestampMs: 0
 * }
 * const add = pool.addAuthorization(authorization)
 * const [first, second] = await Effect.runPromise(Effect.all([add, add]))
 * console.log(first.added, second.added, pool.tip.version()) // => true false 1
 * ```
 */
export const openMemoryPool = (): MemoryPoolStore => {
  const pool = new MemoryPool()
  const { rows, settledBatches } = pool
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
      Effect.sync(() => takeWhile(pool.pendingByFee(tokenId, after), () => true, limit)),
    pendingSince: ({ beforeMs, limit }) =>
      Effect.sync(() =>
        takeWhile(rows.bySince.from(() => false), ({ pooled }) => pooled.sinceMs < beforeMs, limit)
      ),
    pendingBelow: (nonces) =>
      Effect.sync(() =>
        nonces.flatMap(({ index, nonce }) =>
          takeWhile(
            rows.byNonce.get(index)?.from(() => false) ?? [],
            ({ pooled }) => pooled.transaction.nonce < nonce
          )
        )
      ),
    inBatches: ({ state, from, to }) =>
      Effect.sync(() =>
        takeWhile(
          rows.byBatch[state].from((row) => batchNumOf(row) < from),
          (row) => batchNumOf(row) <= to
        )
      ),
    settledBatchesBelow: ({ batchNum, limit }) =>
      Effect.sync(() => {
        const end = firstNot(
          0,
          settledBatches.length,
          (index) => settledBatches[index]!.batchNum < batchNum
        )
        return settledBatches.slice(Math.max(0, end - limit), end).reverse()
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
    postponeSorting: () => {
      rows.postponeSorting()
      return () => rows.sortAll()
    },
    tip: {
      version: () => pool.version,
      // grows with each transition of a transaction; an authorization never changes
      versionOf: (key) => pool.transitions.get(key)?.length ?? 0
    }
  }
}

/**
 * A layer with the port of a new pool in memory, one for each time it is built.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { PoolStore } from "rollup-node-api"
 * import { poolLayer } from "rollup-node-api/memory"
 *
 * const counts = Effect.flatMap(PoolStore, (pool) => pool.counts)
 * console.log(JSON.stringify(await Effect.runPromise(Effect.provide(counts, poolLayer)))) // => {"pend":0,"fing":0,"fged":0,"invl":0}
 * ```
 */
export const poolLayer: Layer.Layer<PoolStore> = Layer.effectContext(
  Effect.sync(() => poolContext(openMemoryPool()))
)

/** Returns a context with the port of an open pool. */
const poolContext = (pool: MemoryPoolStore): Context.Context<PoolStore> =>
  Context.make(PoolStore, pool).pipe(Context.add(PoolTip, pool.tip))

/** Each method is synchronous, and therefore atomic. */
class MemoryPool {
  readonly rows = new PoolRows()
  /** Ascending by batch number. */
  readonly settledBatches: Array<SettledBatch> = []
  readonly authorizations = new Map<EthereumAddress, Authorization>()
  readonly transitions = new Map<TransactionId, Array<PoolTransition>>()
  readonly skippedTransactions = new Map<TransactionId, SkippedTransaction>()
  /** Number of writes that changed the pool. */
  version = 0
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
    this.version++
    this.rows.add({ transaction, sender, sinceMs: atMs, arrival: this.#arrivals++ })
    this.#recordTransition({ id, from: null, to, atMs, batchNum, reason: "Posted" })
    return { kind: "added" }
  }

  addAuthorization(authorization: Authorization) {
    const known = this.authorizations.get(authorization.address)
    if (known !== undefined) return { added: false, authorization: known }
    this.version++
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
    if (!isSameBatch(this.settledBatches.at(-1) ?? null, from)) return null
    const remaining = to === null
      ? 0
      : firstNot(
        0,
        this.settledBatches.length,
        (index) => this.settledBatches[index]!.batchNum < to.batchNum
      )
    this.settledBatches.length = remaining
    if (to !== null) this.settledBatches.push(to)
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
    this.version++
    this.rows.remove(row)
    this.skippedTransactions.delete(id)
    if (to !== null) {
      this.rows.add({
        ...row.pooled,
        sinceMs: atMs,
        transaction: { ...row.pooled.transaction, state: to, batchNum }
      })
    }
    this.#recordTransition({ id, from, to, atMs, batchNum, reason })
    return true
  }

  #recordTransition(transition: PoolTransition): void {
    const known = this.transitions.get(transition.id)
    if (known === undefined) this.transitions.set(transition.id, [transition])
    else known.push(transition)
  }
}

const batchNumOf = ({ pooled }: PoolRow): number => pooled.transaction.batchNum ?? 0

const isSameBatch = (a: SettledBatch | null, b: SettledBatch | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.batchNum === b.batchNum &&
    a.ethereumBlockHash === b.ethereumBlockHash)

/** Returns the leading rows for which `holds` is true, at most `limit` of them. */
function takeWhile(
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
