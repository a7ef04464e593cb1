export type { PoolPorts } from "./_optimistic_change.ts"
export * from "./list_pool.ts"
export * from "./pool.ts"
export * from "./pooled_ledger.ts"
export * from "./purge.ts"
export type {
  AccountToCreate,
  SelectedReceiver,
  SelectedTransaction,
  Selection,
  SelectOptions
} from "./selection/mod.ts"
export * from "./reconcile.ts"
export * from "./submission/mod.ts"
