export { groupFaults } from "./_group_rules.ts"
export { findGroup, findPooled, listPool } from "./list_pool.ts"
export { forgingMaxMsDefault, Pool, type PoolOptions, type SelectedContent } from "./pool.ts"
export {
  type FeeBounds,
  ledgerFaults,
  postedFaults,
  type PostRules,
  type Refuse,
  refuseFor
} from "./_posted_rules.ts"
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
export {
  NothingToReplace,
  type Replaced,
  PoolFull,
  SubmissionConflict,
  SubmissionRefused
} from "./submission_failures.ts"
export {
  Submission,
  type SubmissionFailure,
  type SubmissionOptions,
  type Submitted
} from "./submit.ts"
