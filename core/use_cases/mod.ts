export * from "./audit/mod.ts"
export * from "./batch/mod.ts"
export {
  type BuildExitTree,
  completeBlock,
  decideBlock,
  decideBlockWithChecks,
  decideHead,
  decideOwnBlock,
  type ExitLeaf,
  type ExitTree,
  type ExitTreeBuilder,
  hasExitProofs,
  type LedgerRules,
  type SlowChecks,
  type StateAccount,
  type StateRootRequest,
  type StateRootVerifier,
  type WrongStateRoot
} from "./block/mod.ts"
export * from "./ledger/mod.ts"
export * from "./pool/mod.ts"
export * from "./read/mod.ts"
export { BlockViolation, type Invariant, invariantNames } from "./violation/mod.ts"
