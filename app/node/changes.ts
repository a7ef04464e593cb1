import { Context, Effect, Layer, Queue, Stream } from "effect"
import {
  ChangeSource,
  type SnapshotId,
  LedgerWriter,
  type NodeChange,
  type PoolChange,
  PoolStore,
  type PoolTransaction,
  type PoolTransition,
  type StoreFailure,
  synchedBlockNum,
  type TransactionId
} from "../../core/mod.ts"
import { transitionOf, transitionOfPost } from "../../core/use_cases/mod.ts"
import type { Stores } from "./layers.ts"

/**
 * Reports the changes of a node: blocks, batches, rollbacks, prices, heads and transitions of the pool.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Ledger } from "rollup-node-api"
 * import { NodeChanges, nodeLayer } from "rollup-node-api/embed/effect"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const program = Effect.gen(function*() {
 *   const changes = yield* NodeChanges
 *   const kinds: Array<string> = []
 *   changes.subscribe(({ kind }) => kinds.push(kind))
 *   yield* (yield* Ledger).applyRecord(next())
 *   return kinds
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, nodeLayer({ genesis }))))
 * // => [ 'block', 'batch' ]
 * ```
 */
export class NodeChanges extends Context.Service<NodeChanges, {
  /**
   * Calls the listener with each change after it is stored, until the returned function is called.
   * The listener must return at once and not throw.
   */
  readonly subscribe: (listener: (change: NodeChange) => void) => () => void
  /** Emits each change from the start of the stream on, without a bound on those that wait. */
  readonly stream: Stream.Stream<NodeChange>
}>()("rollup/app/NodeChanges") {}

/**
 * Adds the changes to stores: those that the stores report, or else those that pass through their
 * ports.
 */
export const withChanges = <E>(
  stores: Layer.Layer<Stores, E>
): Layer.Layer<Stores | NodeChanges, E | StoreFailure> =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Layer.build(stores)
    const listeners = new Set<(change: NodeChange) => void>()
    const publish = (change: NodeChange): void => {
      for (const listener of listeners) listener(change)
    }
    const subscribe = (listener: (change: NodeChange) => void) => {
      // the same function may be subscribed twice
      const own = (change: NodeChange) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    }
    const stream = Stream.callback<NodeChange>((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => subscribe((change) => void Queue.offerUnsafe(queue, change))),
        (unsubscribe) => Effect.sync(unsubscribe)
      )
    )
    const changed = Context.add(context, NodeChanges, { subscribe, stream })
    const source = Context.get(context, ChangeSource)
    if (source !== null) {
      yield* source(publish)
      return changed
    }
    return changed.pipe(
      Context.add(LedgerWriter, observedWriter(Context.get(context, LedgerWriter), publish)),
      Context.add(PoolStore, observedPool(Context.get(context, PoolStore), publish))
    )
  }))

type Publish = (change: NodeChange) => void

/** Runs a write and reports it, even if its caller is interrupted in between. */
const reported = <A, E>(
  write: Effect.Effect<A, E>,
  report: (answer: A) => void
): Effect.Effect<A, E> =>
  Effect.uninterruptible(Effect.tap(write, (answer) => Effect.sync(() => report(answer))))

const observedWriter = (
  writer: LedgerWriter["Service"],
  publish: Publish
): LedgerWriter["Service"] => ({
  apply: (block, decide) =>
    reported(writer.apply(block, decide), (report) => {
      if (!report.applied) return
      const { placed: { batches, block }, snapshotId } = report
      publish({ kind: "block", ethereumBlockNum: block.number, snapshotId })
      for (const { batch: { batchNum } } of batches) {
        publish({ kind: "batch", batchNum, snapshotId })
      }
    }),
  setPrices: (prices, check) =>
    reported(
      writer.setPrices(prices, check),
      (snapshotId) => publish({ kind: "prices", snapshotId })
    ),
  setHead: (head, check) =>
    reported(writer.setHead(head, check), (snapshotId) => publish(headChange(snapshotId))),
  rollBack: (toBlock, check) =>
    reported(
      writer.rollBack(toBlock, check),
      ({ blocks, isHeadRemoved, lastBatchNum, lastBlock, snapshotId }) => {
        if (blocks > 0) {
          publish({ kind: "rollBack", toBlock: lastBlock.number, lastBatchNum, snapshotId })
        } else if (isHeadRemoved) publish(headChange(snapshotId))
      }
    )
})

const headChange = (snapshotId: SnapshotId): NodeChange => ({
  kind: "head",
  ethereumBlockNum: synchedBlockNum(snapshotId),
  snapshotId
})

const observedPool = (pool: PoolStore["Service"], publish: Publish): PoolStore["Service"] => {
  const moved = (transition: PoolTransition): void => publish({ kind: "transition", ...transition })
  const changed = (
    changes: ReadonlyArray<PoolChange>,
    ids: ReadonlyArray<TransactionId>,
    atMs: number
  ): void => {
    // the ids are those of the applied changes, in their order
    let next = 0
    for (const change of changes) {
      if (ids[next] !== change.id) continue
      next++
      moved(transitionOf(change, atMs))
    }
  }
  const added = (transaction: PoolTransaction): void => moved(transitionOfPost(transaction))
  return {
    ...pool,
    addTransaction: (transaction, sender, limits) =>
      reported(pool.addTransaction(transaction, sender, limits), ({ kind }) => {
        if (kind === "added") added(transaction)
      }),
    addGroup: (group, limits) =>
      reported(pool.addGroup(group, limits), ({ kind }) => {
        if (kind === "added") { for (const { transaction } of group) added(transaction) }
      }),
    replaceTransaction: (replaced, transaction, sender, limits) =>
      reported(pool.replaceTransaction(replaced, transaction, sender, limits), (result) => {
        if (result.kind !== "replaced") return
        moved(transitionOf({ ...result, id: replaced.id, to: null }, transaction.timestampMs))
        added(transaction)
      }),
    change: (changes, atMs) =>
      reported(pool.change(changes, atMs), (ids) => changed(changes, ids, atMs)),
    reconcile: (step, atMs) =>
      reported(pool.reconcile(step, atMs), (ids) => changed(step.changes, ids ?? [], atMs))
  }
}
