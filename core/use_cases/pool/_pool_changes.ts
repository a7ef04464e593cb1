import { Effect } from "effect"
import type { FullBatch, PoolState, PoolTransaction, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, Pooled } from "../../ports/mod.ts"
import { completeGroups } from "./_groups.ts"
import { batchNumLimit, type PoolPorts } from "./_optimistic_change.ts"
import { isForgedAs } from "./_same_transaction.ts"
import { findSuperseded, forgedReason, supersededReason } from "./_superseded.ts"

/** Returns the changes of the pool after a batch of the ledger, forged by this or another node. */
export const changesOfBatch = Effect.fnUntraced(
  function*(ports: PoolPorts, { batch: { batchNum }, transactions }: FullBatch) {
    const { pool } = ports
    const forged = new Map<TransactionId, Transaction>()
    /** The nonces that the batch uses: `first` and those after it, below `next`. */
    const nonces = new Map<AccountIndex, { readonly first: bigint; readonly next: bigint }>()
    for (const { transaction } of transactions) {
      const { fromAccountIndex, id, l2 } = transaction
      if (l2 === null) continue
      forged.set(id, transaction)
      // the nonces of an account ascend within a batch
      const first = nonces.get(fromAccountIndex!)?.first ?? l2.nonce
      nonces.set(fromAccountIndex!, { first, next: l2.nonce + 1n })
    }
    const forgedRows = yield* pool.pooled([...forged.keys()])
    const below = yield* pool.pendingBelow(
      [...nonces].map(([index, { next }]) => ({ index, nonce: next }))
    )
    const others = [
      ...yield* pool.inBatches({ state: "fing", from: batchNum, to: batchNumLimit }),
      ...yield* pool.inBatches({ state: "fged", from: batchNum, to: batchNumLimit }),
      // a coordinator marked these as invalid: they are, since this batch
      ...yield* pool.inBatches({ state: "invl", from: batchNum + 1, to: batchNumLimit })
    ].filter(({ transaction }) => !forged.has(transaction.id))
    const isSuperseded = ({ transaction: { fromAccountIndex, nonce } }: Pooled): boolean => {
      const used = nonces.get(fromAccountIndex)
      return used !== undefined && used.first <= nonce && nonce < used.next
    }
    const superseded = [
      ...below.filter(({ transaction }) => !forged.has(transaction.id)),
      ...others
    ].filter(isSuperseded)
    const leftOut = others.filter((row) =>
      row.transaction.batchNum === batchNum && !isSuperseded(row)
    )
    // posted while an earlier batch used the nonce
    const late = yield* findSuperseded(
      ports,
      transactionsOf(below.filter((row) => !isSuperseded(row)))
    )
    const changes = [
      ...forgedRows.flatMap((row) => forgedChange(row, forged.get(row.transaction.id)!, batchNum)),
      ...superseded.map((row) =>
        changeOf(row, "invl", batchNum, supersededReason(row.transaction, batchNum))
      ),
      ...leftOut.map((row) => changeOf(row, "pend", null, leftOutReason(batchNum))),
      ...late.filter((change) => change.batchNum! < batchNum)
    ]
    return yield* completeGroups(
      { pool },
      changes,
      transactionsOf([...forgedRows, ...below, ...others]),
      batchNum
    )
  }
)

/** Returns the changes that reset all transactions of batches after `lastBatchNum` to pending. */
export const changesToPending = Effect.fnUntraced(
  function*({ pool }: Pick<PoolPorts, "pool">, lastBatchNum: number, reason: string) {
    const byState = yield* Effect.forEach(
      ["fing", "fged", "invl"] as const,
      (state) => pool.inBatches({ state, from: lastBatchNum + 1, to: batchNumLimit })
    )
    const rows = byState.flat()
    const changes = rows.map((row) => changeOf(row, "pend", null, reason))
    return yield* completeGroups({ pool }, changes, transactionsOf(rows), lastBatchNum)
  }
)

export const transactionsOf = (rows: ReadonlyArray<Pooled>): ReadonlyArray<PoolTransaction> =>
  rows.map(({ transaction }) => transaction)

/** Returns a change that applies only if the transaction still has the state that was read. */
export const changeOf = (
  { transaction: { batchNum: fromBatchNum, id, state: from } }: Pooled,
  to: PoolState | null,
  batchNum: number | null,
  reason: string
): PoolChange => ({ id, from, fromBatchNum, to, batchNum, reason })

export const leftOutReason = (batchNum: number): string => `Batch ${batchNum} was forged without it`

function forgedChange(
  row: Pooled,
  forged: Transaction,
  batchNum: number
): ReadonlyArray<PoolChange> {
  const { transaction } = row
  if (!isForgedAs(transaction, forged)) {
    return transaction.state === "invl" ? [] : [
      changeOf(
        row,
        "invl",
        batchNum,
        `A transaction with the same id and another destination was forged in batch ${batchNum}`
      )
    ]
  }
  return transaction.state === "fged" && transaction.batchNum === batchNum
    ? []
    : [changeOf(row, "fged", batchNum, forgedReason(batchNum))]
}
