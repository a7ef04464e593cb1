import { Effect } from "effect"
import { limitMax } from "../../contract/mod.ts"
import type { PoolTransaction } from "../../domain/mod.ts"
import type { PoolPage, PoolStore, StoreFailure } from "../../ports/mod.ts"
import type { Replaced } from "./submission_failures.ts"

/** Returns whether another transaction may replace it. */
export const isReplaceable = ({ group, state }: PoolTransaction): boolean =>
  group === undefined && (state === "pend" || state === "invl")

/**
 * Returns the transaction of a sender with a nonce: a pending one if there is any, else an invalid
 * one, else any; the newest of them. Null if the pool has none.
 */
export const findByNonce = Effect.fnUntraced(function*(
  pool: PoolStore["Service"],
  { fromAccountIndex, nonce }: Exclude<Replaced, string>
): Effect.fn.Return<PoolTransaction | null, StoreFailure> {
  const found: Array<PoolTransaction> = []
  for (let fromArrival: number | null = null;;) {
    const { counts, items }: PoolPage = yield* pool.list({
      filters: { from: { accounts: [fromAccountIndex] } },
      fromArrival,
      order: "DESC",
      limit: limitMax
    })
    found.push(
      ...items.map(({ pooled }) => pooled.transaction).filter((each) => each.nonce === nonce)
    )
    const last = items.at(-1)
    if (last === undefined || counts.pendingItems === 0) break
    fromArrival = last.pooled.arrival - 1
  }
  return found.find((each) => each.state === "pend" && isReplaceable(each)) ??
    found.find(isReplaceable) ?? found[0] ??
    null
})
