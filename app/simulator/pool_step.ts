import { Effect } from "effect"
import type { PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import type { TransactionId } from "../../core/encoding/mod.ts"
import type { SimulationStep } from "./_pool_traffic.ts"

/** Does to a pool what a step says, as if everything had been posted and verified; returns the transactions that entered or moved. */
export const takePoolStep = Effect.fnUntraced(function*(
  pool: PoolStore["Service"], step: Exclude<SimulationStep, { readonly kind: "feed" }>
): Effect.fn.Return<ReadonlyArray<TransactionId>, StoreFailure> {
  if (step.kind === "move") {
    const changes = (yield* pool.pooled(step.ids)).map(({ transaction: { batchNum, id } }) => ({
      id, from: step.from, fromBatchNum: batchNum, to: step.to, batchNum: step.batchNum, reason: `Simulated move from ${step.from} to ${step.to}`
    }))
    return yield* pool.change(changes, 0)
  }
  for (const authorization of step.authorizations) yield* pool.addAuthorization(authorization)
  const entered: Array<TransactionId> = []
  for (const [position, transaction] of step.transactions.entries()) {
    const added = yield* pool.addTransaction(transaction, step.senders[position]!, { pendingMax: Infinity, pendingPerAccountMax: Infinity })
    if (added.kind === "added") entered.push(transaction.id)
  }
  return entered
})
