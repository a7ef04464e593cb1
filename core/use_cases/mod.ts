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
  type ExitProof,
  type ExitProofVerifier,
  type ExitTree,
  type ExitTreeBuilder,
  type LedgerRules,
  type SlowChecks,
  type StateAccount,
  type StateRootRequest,
  type StateRootVerifier,
  type VerifyExit,
  type WrongStateRoot
} from "./block/mod.ts"
export * from "./ledger/mod.ts"
export * from "./pool/mod.ts"
export * from "./read/mod.ts"
export { BlockViolation, type Invariant, invariantNames } from "./violation/mod.ts"
