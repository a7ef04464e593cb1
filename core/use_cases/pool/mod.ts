export type { SelectedReceiver } from "./_try_apply.ts"
export type { AccountToCreate } from "./_selection_overlay.ts"
export { forgingMaxMsDefault, Pool, type PoolOptions } from "./pool.ts"
export { learnAuthorizations, pooledLedger } from "./pooled_ledger.ts"
export type { PurgeOptions } from "./purge.ts"
export type { SelectedTransaction, Selection, SelectOptions } from "./select.ts"
export type { SettleOptions } from "./settle.ts"
export {
  PoolFull,
  Submission,
  SubmissionConflict,
  type SubmissionFailure,
  type SubmissionOptions,
  SubmissionRefused,
  type Submitted
} from "./submit.ts"
