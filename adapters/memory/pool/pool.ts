import { type Context, Effect, Layer } from "effect"
import { PoolStore } from "../../../core/ports/mod.ts"
import { frozenCopy } from "../state/mod.ts"
import { MemoryPool, type PoolImage } from "./_memory_pool.ts"
import { poolReads, type RunRead } from "./_reads.ts"

/**
 * A transaction pool in memory. Each call is synchronous and atomic. Transitions of all
 * transactions stay in memory until `forgetTransitions` or until the pool is dropped.
 */
export interface MemoryPoolStore extends Context.Service.Shape<typeof PoolStore> {
  /** Returns the reads of the pool, each of which `run` runs. */
  readonly readsBy: (run: RunRead) => ReturnType<typeof poolReads>
  /**
   * Runs synchronous writes. Returns their result, a function that undoes them, and whether they
   * changed the pool. Of several such functions, call that of the last writes first.
   */
  readonly undoable: <A>(
    write: () => A
  ) => readonly [result: A, undo: () => void, hasChanged: boolean]
  /**
   * Drops the transitions of transactions that left the pool before a time, in milliseconds since
   * 1970. Returns the number of these transactions.
   */
  readonly forgetTransitions: (beforeMs: number) => number
  /** Returns the complete state for a checkpoint, which later writes do not change. */
  readonly capture: () => PoolImage
  /** Sets the state of an empty pool. */
  readonly restore: (image: PoolImage) => void
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
 * console.log(first.added, second.added) // => true false
 * ```
 */
export const openMemoryPool = (): MemoryPoolStore => {
  const pool = new MemoryPool()
  return {
    ...poolReads(pool),
    addTransaction: (transaction, owners, limits) =>
      Effect.sync(() => pool.addTransaction(frozenCopy(transaction), frozenCopy(owners), limits)),
    addGroup: (group, limits) => Effect.sync(() => pool.addGroup(group.map(frozenCopy), limits)),
    replaceTransaction: (replaced, transaction, owners, limits) =>
      Effect.sync(() =>
        pool.replaceTransaction(replaced, frozenCopy(transaction), frozenCopy(owners), limits)
      ),
    addAuthorization: (authorization) =>
      Effect.sync(() => pool.addAuthorization(frozenCopy(authorization))),
    change: (changes, atMs) => Effect.sync(() => pool.change(changes, atMs)),
    reconcile: (step, atMs) => Effect.sync(() => pool.reconcile(step, atMs)),
    skip: (notes, selected) => Effect.sync(() => pool.skip(notes, selected)),
    readsBy: (run) => poolReads(pool, run),
    undoable: (write) => pool.undoable(write),
    forgetTransitions: (beforeMs) => pool.transitions.forget(beforeMs),
    capture: () => pool.capture(),
    restore: (image) => pool.restore(image)
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
export const poolLayer: Layer.Layer<PoolStore> = Layer.sync(PoolStore, openMemoryPool)
