import { Effect } from "effect"
import { limitMax } from "../../contract/mod.ts"
import { type AccountOwner, isSameOwner, type PoolState, type PoolTransaction } from "../../domain/mod.ts"
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
  replaced: Exclude<Replaced, string>,
  owner: AccountOwner | null
): Effect.fn.Return<Pooled | null, StoreFailure> {
  let other: Pooled | null = null
  for (const states of [["pend"], ["invl"], ["fing", "fged"]] as const) {
    const found = yield* withNonce(pool, replaced, owner, states)
    const replaceable = found.find(({ transaction }) => isReplaceable(transaction))
    if (replaceable !== undefined) return replaceable
    other ??= found[0] ?? null
  }
  return other
})

/** Returns the transactions of a sender with a nonce in some states, the newest first. */
const withNonce = Effect.fnUntraced(function*(
  pool: PoolStore["Service"],
  { fromAccountIndex, nonce }: Exclude<Replaced, string>,
  owner: AccountOwner | null,
  states: ReadonlyArray<PoolState>
): Effect.fn.Return<ReadonlyArray<Pooled>, StoreFailure> {
  const found: Array<Pooled> = []
  for (let fromArrival: number | null = null;;) {
    const { counts, items }: PoolPage = yield* pool.list({
      filters: { from: { accounts: [fromAccountIndex] }, states },
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
    if (last === undefined || counts.pendingItems === 0) return found
    fromArrival = last.pooled.arrival - 1
  }
})
