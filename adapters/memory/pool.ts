import { type Context, Effect, Layer } from "effect"
import type { Authorization, PoolTransaction } from "../../core/domain/mod.ts"
import type { EthereumAddress, TransactionId } from "../../core/encoding/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { frozenCopy } from "./_frozen.ts"

/** A pool in memory. */
export const openMemoryPool = (): Context.Service.Shape<typeof PoolStore> => {
  const transactions = new Map<TransactionId, PoolTransaction>()
  const authorizations = new Map<EthereumAddress, Authorization>()
  return {
    transaction: (id) => Effect.sync(() => transactions.get(id) ?? null),
    authorization: (address) => Effect.sync(() => authorizations.get(address) ?? null),
    addTransaction: (transaction) => Effect.sync(() => addNew(transactions, transaction.id, transaction)),
    addAuthorization: (authorization) => Effect.sync(() => addNew(authorizations, authorization.address, authorization)),
    move: (ids, from, to, batchNum) => Effect.sync(() => {
      const moved: Array<TransactionId> = []
      for (const id of ids) {
        const transaction = transactions.get(id)
        if (transaction?.state !== from) continue
        transactions.set(id, Object.freeze({ ...transaction, state: to, batchNum }))
        moved.push(id)
      }
      return moved
    })
  }
}

/** A pool of its own for each time the layer is built. */
export const poolLayer: Layer.Layer<PoolStore> = Layer.sync(PoolStore, openMemoryPool)

const addNew = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value): boolean => {
  if (map.has(key)) return false
  map.set(key, frozenCopy(value))
  return true
}
