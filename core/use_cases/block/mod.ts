export type { VerifyExit } from "./_block_overlay.ts"
export { checkPrices } from "./_registrations.ts"
export { completeBlock } from "./complete_block.ts"
export { decideBlock, decideOwnBlock, type LedgerRules, readBlock } from "./check_block.ts"
export { decideHead, readHead } from "./head.ts"
export {
  decideBlockWithChecks,
  decideOwnBlockWithChecks,
  type ExitProof,
  type ExitProofVerifier,
  type SlowChecks
} from "./exit_proofs.ts"
export {
  type BuildExitTree,
  type ExitLeaf,
  type ExitTree,
  type ExitTreeBuilder
} from "./exit_trees.ts"
export type {
  StateAccount,
  StateRootRequest,
  StateRootVerifier,
  WrongStateRoot
} from "./state_roots.ts"
