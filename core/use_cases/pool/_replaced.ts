import { Effect } from "effect"
import { limitMax } from "../../contract/mod.ts"
import { type AccountOwner, isSameOwner, type PoolTransaction } from "../../domain/mod.ts"
import type { Pooled, PoolPage, PoolStore, StoreFailure } from "../../ports/mod.ts"
import type { Replaced } from "./submission_failures.ts"

/** Returns whether another transaction may replace it. */
export const isReplaceable = ({ group, state }: PoolTransaction): boolean =>
  group === undefined && (state === "pend" || state === "invl")

/**
 * Returns the transaction of a sender with a nonce: a pending one if there is any, else an invalid
 * one, else any; the newest of them. Null if the pool has none that the owner of the account posted.
 */
export const findByNonce = Effect.fnUntraced(function*(
  pool: PoolStore["Service"],
  { fromAccountIndex, nonce }: Exclude<Replaced, string>,
  owner: AccountOwner | null
): Effect.fn.Return<Pooled | null, StoreFailure> {
  const found: Array<Pooled> = []
  for (let fromArrival: number | null = null;;) {
    const { counts, items }: PoolPage = yield* pool.list({
      filters: { from: { accounts: [fromAccountIndex] } },
      fromArrival,
      order: "DESC",
      limit: limitMax
    })
    found.push(
      ...items.map(({ pooled }) => pooled).filter(({ sender, transaction }) =>
        transaction.nonce === nonce && (owner === null || isSameOwner(sender, owner))
      )
    )
    const last = items.at(-1)
    if (last === undefined || counts.pendingItems === 0) break
    fromArrival = last.pooled.arrival - 1
  }
  const replaceable = found.filter(({ transaction }) => isReplaceable(transaction))
  return replaceable.find(({ transaction }) => transaction.state === "pend") ?? replaceable[0] ??
    found[0] ?? null
})
