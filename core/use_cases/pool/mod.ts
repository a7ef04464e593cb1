export { findGroup, findPooled, listPool } from "./list_pool.ts"
export { forgingMaxMsDefault, Pool, type PoolOptions, type SelectedContent } from "./pool.ts"
export { learnAuthorizations, pooledLedger } from "./pooled_ledger.ts"
export type { PurgeOptions } from "./purge.ts"
export type {
  AccountToCreate,
  SelectedReceiver,
  SelectedTransaction,
  Selection,
  SelectOptions
} from "./selection/mod.ts"
export type { SettleOptions } from "./settle.ts"
export * from "./submission/mod.ts"
