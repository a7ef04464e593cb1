export * from "./audit/mod.ts"
export type {
  BatchInput,
  BatchOutcome,
  BatchState,
  L1UserEffect,
  L2Resolution
} from "./batch_transition.ts"
export { BlockViolation, type Invariant, invariantNames } from "./block_violation.ts"
export { decideBlock, type LedgerRules } from "./check_block.ts"
export type { VerifyExit } from "./_block_work.ts"
export type { ExitProof, JudgeExits } from "./exit_proofs.ts"
export { batchOf, type Dependency, versionsOf } from "./dependencies.ts"
export { lastBlock } from "./last_block.ts"
export {
  type BlockReport,
  decidePrices,
  Ledger,
  type LedgerOptions,
  type RecordReport
} from "./ledger.ts"
export * from "./pool/mod.ts"
export { processBatch } from "./process_batch.ts"
export {
  type Answer,
  NotFound,
  type ReadFailure,
  type ReadInterface,
  readInterfaces,
  type Reading,
  type ReadOptions
} from "./read.ts"
