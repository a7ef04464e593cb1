import { Effect } from "effect"
import {
  BadInput,
  brokenRule,
  limitDefault,
  poolList,
  type PoolListFilters,
  type PoolListQuery
} from "../../contract/mod.ts"
import { poolStates, type PoolTransactionView, unfinishedStates } from "../../domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  type GroupId,
  INTERNAL_ADDRESS,
  type PublicKey,
  type TransactionId
} from "../../encoding/mod.ts"
import { type ListedTransaction, type Page, type PoolParty, StoreFailure } from "../../ports/mod.ts"
import { listAll, type PoolPorts } from "./_optimistic_change.ts"

/**
 * Returns a page of the list of the pool. An unknown token, account, address or key matches no
 * transaction. A page leaves out transactions whose token a rollback has removed, which the counts
 * include. An address or a key matches the transactions to it, and those whose account belonged
 * to it when they were posted. The address of internal accounts is refused, since every internal
 * account has it.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { LedgerReader, listPool, PoolStore } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const listing = Effect.gen(function*() {
 *   const ports = { reader: yield* LedgerReader, pool: yield* PoolStore }
 *   return yield* listPool(ports, { filters: { state: "pend", fromAccountIndex: 256 } })
 * }).pipe(
 *   Effect.provide(Memory.layer(simulate({ seed: 1 }).genesis)),
 *   Effect.provide(Memory.poolLayer)
 * )
 * const { counts, items } = await Effect.runPromise(listing)
 * console.log(items, counts.pendingItems) // => [] 0
 * ```
 */
export const listPool = Effect.fnUntraced(function*(
  ports: PoolPorts,
  { filters, fromItem, limit = limitDefault, order = "ASC" }: PoolListQuery
): Effect.fn.Return<Page<PoolTransactionView>, BadInput | StoreFailure> {
  const { counts, items } = yield* ports.pool.list({
    filters: yield* resolve(filters),
    fromArrival: fromItem === undefined ? null : fromItem - 1,
    order,
    limit
  })
  return { ...yield* viewsOf(ports.reader, items, () => Effect.void), counts }
})

/** Returns a transaction of the pool with its ledger data; null if it is not in the pool. */
export const findPooled = Effect.fnUntraced(function*(
  ports: PoolPorts,
  id: TransactionId
) {
  const found = yield* listAll(ports, { id })
  if (found.length === 0) return null
  const { items: [view], snapshotId } = yield* viewsOf(ports.reader, found)
  return { view: view!, snapshotId }
})

/** Returns the transactions of a group with their ledger data, in their order; none if unknown. */
export const findGroup = Effect.fnUntraced(function*(
  ports: PoolPorts,
  id: GroupId
): Effect.fn.Return<Pick<Page<PoolTransactionView>, "items" | "snapshotId">, StoreFailure> {
  // a group is added at once, in its order
  return yield* viewsOf(ports.reader, yield* listAll(ports, { group: id }))
})

/**
 * Adds tokens from one snapshot of the ledger to transactions of the pool.
 *
 * @param onUnregistered called for a transaction whose token a rollback has removed
 */
const viewsOf = Effect.fnUntraced(function*(
  reader: PoolPorts["reader"],
  listed: ReadonlyArray<ListedTransaction>,
  onUnregistered: (tokenId: number) => Effect.Effect<void, StoreFailure> = unregistered
): Effect.fn.Return<Pick<Page<PoolTransactionView>, "items" | "snapshotId">, StoreFailure> {
  const { snapshotId, tokens } = yield* reader.accountsAndTokens({
    accounts: [],
    tokens: listed.flatMap(({ pooled: { transaction } }) => [
      transaction.tokenId,
      transaction.request?.tokenId ?? transaction.tokenId
    ])
  })
  const items: Array<PoolTransactionView> = []
  for (const [number, { invalidReason, pooled, skipped }] of listed.entries()) {
    const { arrival, sender, transaction } = pooled
    const token = tokens[2 * number] ?? null
    if (token === null) {
      yield* onUnregistered(transaction.tokenId)
      continue
    }
    items.push({
      itemId: arrival + 1,
      transaction,
      token,
      sender,
      requestToken: typeof transaction.request?.tokenId === "number"
        ? tokens[2 * number + 1] ?? null
        : null,
      skipped,
      invalidReason
    })
  }
  return { items, snapshotId }
})

const unregistered = (tokenId: number) =>
  new StoreFailure({
    message:
      `Token ${tokenId} of a transaction is no longer registered after a rollback: try again later`,
    retry: true
  })

/** Returns the conditions of the store for filters of a request. */
const resolve = Effect.fnUntraced(function*(of: PoolListFilters) {
  const { onlyUnfinished = false, state, tokenId, type } = of
  const states = (onlyUnfinished ? unfinishedStates : poolStates).filter((each) =>
    state === undefined || each === state
  )
  return {
    states: states.length === poolStates.length ? undefined : states,
    type,
    tokenId,
    party: yield* partyOf(of.accountIndex, of.address, of.publicKey, "address"),
    from: yield* partyOf(of.fromAccountIndex, of.fromAddress, of.fromPublicKey, "fromAddress"),
    to: yield* partyOf(of.toAccountIndex, of.toAddress, of.toPublicKey, "toAddress")
  }
})

const partyOf = (
  index: AccountIndex | undefined,
  address: EthereumAddress | undefined,
  publicKey: PublicKey | undefined,
  addressFilter: "address" | "fromAddress" | "toAddress"
): Effect.Effect<PoolParty | undefined, BadInput> => {
  if (index !== undefined) return Effect.succeed({ accounts: [index] })
  if (address === INTERNAL_ADDRESS) {
    const fault = brokenRule(
      poolList.filters[addressFilter].parameter,
      INTERNAL_ADDRESS,
      "the address of an owner",
      "The address of all F is that of every internal account: filter by the key instead"
    )
    return Effect.fail(new BadInput({ faults: [fault] }))
  }
  return Effect.succeed(
    address !== undefined ? { address } : publicKey !== undefined ? { publicKey } : undefined
  )
}
