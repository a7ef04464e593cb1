import { Clock, Effect } from "effect"
import type { Batch, FullBatch, PoolTransaction } from "../../domain/mod.ts"
import type { TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, Pooled, SettledBatch, StoreFailure } from "../../ports/mod.ts"
import {
  batchNumLimit,
  changeIfUnsettled,
  lastSettledBatch,
  type PoolPorts
} from "./_optimistic_change.ts"
import { completeGroups } from "./_groups.ts"
import { findSuperseded, forgedReason } from "./_superseded.ts"
import {
  changesOfBatch,
  changeOf,
  changesToPending,
  leftOutReason,
  transactionsOf
} from "./_pool_changes.ts"

/** The options of `Pool.settle`. */
export interface SettleOptions {
  /** Maximum time in the state forging; after it a transaction becomes pending again. */
  readonly forgingMaxMs: number
}

type ChangedIds = ReadonlyArray<TransactionId>

/**
 * Settles the pool batch by batch, starting from the last batch that pool and ledger agree on.
 * Transactions in a batch of the ledger become forged, even if another node forged it. Transactions
 * with a used nonce become invalid. Transactions that were rolled back, or that their batch does
 * not contain, become pending again. It can be interrupted at any point: the next call continues.
 */
export const settlePool = Effect.fnUntraced(
  function*(ports: PoolPorts, options: SettleOptions): Effect.fn.Return<ChangedIds, StoreFailure> {
    const changed = yield* settleBatches(ports)
    for (const id of yield* releaseForging(ports, options)) changed.add(id)
    // the nonce of a transaction may have been used before it became pending again
    const changedRows = yield* ports.pool.pooled([...changed])
    yield* reconcileWithLedger(ports, transactionsOf(changedRows))
    return [...changed]
  }
)

/**
 * Settles transactions that became pending after the settlement of the batch with their nonce. If
 * the pool has not settled the last batches of the ledger, it settles them first: a state that
 * followed from them would outlive their rollback.
 */
export const reconcileWithLedger = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    transactions: ReadonlyArray<PoolTransaction>
  ): Effect.fn.Return<void, StoreFailure> {
    const { pool, reader } = ports
    if ((yield* findSuperseded(ports, transactions)).length === 0) return
    for (;;) {
      const { batchNum, version } = yield* reader.stamp
      yield* settleBatches(ports)
      const settled = yield* lastSettledBatch(ports)
      const rows = transactionsOf(yield* pool.pooled(transactions.map(({ id }) => id)))
      const changes = yield* completeGroups(
        ports,
        yield* findSuperseded(ports, rows),
        rows,
        batchNum ?? 0
      )
      if (changes.length === 0) return
      // all reads are of the ledger with this last batch
      const isConsistent = settled?.batchNum === batchNum &&
        (yield* reader.stamp).version === version
      if (!isConsistent) continue
      const step = { from: settled, to: settled, changes }
      if ((yield* pool.settle(step, yield* Clock.currentTimeMillis)) !== null) return
    }
  }
)

/** Settles the batches of the ledger one by one. Returns the changed ids. */
const settleBatches = Effect.fnUntraced(
  function*(ports: PoolPorts): Effect.fn.Return<Set<TransactionId>, StoreFailure> {
    const changed = new Set<TransactionId>()
    for (;;) {
      const step = yield* settleNext(ports)
      if (step === "done") return changed
      for (const id of step) changed.add(id)
    }
  }
)

/** Settles the next batch, or goes back to the last batch that pool and ledger agree on. */
const settleNext = Effect.fnUntraced(
  function*(ports: PoolPorts): Effect.fn.Return<ChangedIds | "done", StoreFailure> {
    const { pool, reader } = ports
    const atMs = yield* Clock.currentTimeMillis
    const last = (yield* reader.stamp).batchNum ?? 0
    const from = yield* lastSettledBatch(ports)
    if (from === null) return last === 0 ? "done" : yield* settleFirst(ports, last)
    if (!(yield* isInLedger(ports, from))) {
      return yield* settleRollBack(ports, from, yield* lastAgreed(ports, from))
    }
    if (from.batchNum >= last) return "done"
    if (yield* isEmpty(ports)) {
      const { item } = yield* reader.find("batch", last)
      return item === null
        ? []
        : (yield* pool.settle({ from, to: settledBatchOf(item), changes: [] }, atMs)) ?? []
    }
    const { item } = yield* reader.find("fullBatch", from.batchNum + 1)
    if (item === null) return []
    return yield* settleBatch(ports, from, item)
  }
)

/** Resets the transactions of the batches after `to` to pending. */
const settleRollBack = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    from: SettledBatch,
    to: SettledBatch | null
  ): Effect.fn.Return<ChangedIds, StoreFailure> {
    const lastBatchNum = to === null ? 0 : to.batchNum
    const reset = (before: SettledBatch | null) =>
      Effect.gen(function*() {
        const changes = yield* changesToPending(
          ports,
          lastBatchNum,
          `Batches after ${lastBatchNum} were rolled back`
        )
        return before === to && changes.length === 0 ? [] : yield* ports.pool.settle(
          { from: before, to, changes },
          yield* Clock.currentTimeMillis
        )
      })
    const changed = yield* reset(from)
    if (changed === null) return []
    // until then another call could change a transaction as of `from`, after its state was read
    return [...changed, ...(yield* reset(to)) ?? []]
  }
)

/** Settles one batch, until no other call has changed one of its transactions in the meantime. */
const settleBatch = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    before: SettledBatch,
    batch: FullBatch
  ): Effect.fn.Return<ChangedIds, StoreFailure> {
    let changed: ChangedIds = []
    const to = settledBatchOf(batch.batch)
    for (let from = before;; from = to) {
      const changes = yield* changesOfBatch(ports, batch)
      // after a rollback between the two reads, `from` and `batch` would be of different chains
      if (!(yield* isInLedger(ports, from))) return changed
      const atMs = yield* Clock.currentTimeMillis
      const ids = yield* ports.pool.settle({ from, to, changes }, atMs)
      changed = [...changed, ...ids ?? []]
      if (ids === null || ids.length === changes.length) return changed
    }
  }
)

/** Settles a pool without a settled batch: it looks up every transaction in the ledger. */
const settleFirst = Effect.fnUntraced(
  function*(ports: PoolPorts, last: number): Effect.fn.Return<ChangedIds, StoreFailure> {
    const { pool, reader } = ports
    const atMs = yield* Clock.currentTimeMillis
    const { item, stamp } = yield* reader.find("batch", last)
    if (item === null) return []
    const pending = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: Number.MAX_SAFE_INTEGER
    })
    const changes = yield* findSuperseded(ports, transactionsOf(pending))
    for (const state of ["fing", "fged"] as const) {
      for (const row of yield* pool.inBatches({ state, from: 0, to: last })) {
        changes.push(...yield* changeFromLedger(ports, row))
      }
    }
    const changed = transactionsOf(yield* pool.pooled(changes.map(({ id }) => id)))
    const completed = yield* completeGroups(ports, changes, changed, last)
    // a state that follows from a later batch would outlive its rollback
    if ((yield* reader.stamp).version !== stamp.version) return []
    return (yield* pool.settle(
      { from: null, to: settledBatchOf(item), changes: completed },
      atMs
    )) ?? []
  }
)

/** Returns the change of a forging or forged transaction to its state in the ledger. */
const changeFromLedger = Effect.fnUntraced(
  function*(
    { reader }: PoolPorts,
    row: Pooled
  ): Effect.fn.Return<ReadonlyArray<PoolChange>, StoreFailure> {
    const { batchNum, id } = row.transaction
    const forged = (yield* reader.find("transaction", id)).item?.transaction.batchNum ?? null
    if (forged === null) return [changeOf(row, "pend", null, leftOutReason(batchNum ?? 0))]
    return row.transaction.state === "fged" && forged === batchNum
      ? []
      : [changeOf(row, "fged", forged, forgedReason(forged))]
  }
)

/** Resets forging transactions to pending if their batch does not contain them or is overdue. */
const releaseForging = (ports: PoolPorts, options: SettleOptions) =>
  changeIfUnsettled(ports, (last) => staleForging(ports, last?.batchNum ?? 0, options))

const staleForging = Effect.fnUntraced(
  function*({ pool }: PoolPorts, last: number, { forgingMaxMs }: SettleOptions) {
    const atMs = yield* Clock.currentTimeMillis
    const leftOut = yield* pool.inBatches({ state: "fing", from: 0, to: last })
    const waiting = [
      ...yield* pool.inBatches({ state: "fing", from: last + 1, to: batchNumLimit }),
      ...yield* pool.inBatches({ state: "fged", from: last + 1, to: batchNumLimit })
    ]
    const overdue = waiting.filter(({ sinceMs }) => sinceMs < atMs - forgingMaxMs)
    return [
      ...leftOut.map((row) =>
        changeOf(row, "pend", null, leftOutReason(row.transaction.batchNum!))
      ),
      ...overdue.map((row) =>
        changeOf(
          row,
          "pend",
          null,
          `Batch ${row.transaction.batchNum} was not forged within ${forgingMaxMs} ms`
        )
      )
    ]
  }
)

const isEmpty = ({ pool }: PoolPorts) =>
  Effect.map(pool.counts, ({ fged, fing, invl, pend }) => fged + fing + invl + pend === 0)

const isInLedger = ({ reader }: PoolPorts, { batchNum, ethereumBlockHash }: SettledBatch) =>
  Effect.map(
    reader.find("batch", batchNum),
    ({ item }) => item?.ethereumBlockHash === ethereumBlockHash
  )

/** Returns the last settled batch below `above` that the ledger has; null if there is none. */
const lastAgreed = Effect.fnUntraced(function*(ports: PoolPorts, above: SettledBatch) {
  let below = above.batchNum
  for (;;) {
    const batches = yield* ports.pool.settledBatchesBelow({ batchNum: below, limit: PAGE })
    for (const batch of batches) if (yield* isInLedger(ports, batch)) return batch
    if (batches.length < PAGE) return null
    below = batches.at(-1)!.batchNum
  }
})

/** Number of settled batches in a read, more than most rollbacks remove. */
const PAGE = 64

const settledBatchOf = ({ batchNum, ethereumBlockHash }: Batch): SettledBatch => ({
  batchNum,
  ethereumBlockHash
})
