import { Context, type Effect } from "effect"
import type { Authorization, PoolState, PoolTransaction } from "../domain/mod.ts"
import type { EthereumAddress, TransactionId } from "../encoding/mod.ts"
import type { StoreFailure } from "./failures.ts"

/** Port: what this node was told and the chain does not hold: transactions waiting in the pool, and authorizations. */
export class PoolStore extends Context.Service<PoolStore, {
  readonly transaction: (id: TransactionId) => Effect.Effect<PoolTransaction | null, StoreFailure>
  readonly authorization: (address: EthereumAddress) => Effect.Effect<Authorization | null, StoreFailure>
  /** True if it is new; what is stored under the same id stays. */
  readonly addTransaction: (transaction: PoolTransaction) => Effect.Effect<boolean, StoreFailure>
  /** True if it is new; what is stored for the same address stays. */
  readonly addAuthorization: (authorization: Authorization) => Effect.Effect<boolean, StoreFailure>
  /** Moves those that are in `from`; returns the ids that moved. */
  readonly move: (
    ids: ReadonlyArray<TransactionId>, from: PoolState, to: PoolState, batchNum: number | null
  ) => Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>
}>()("rollup/core/PoolStore") {}
