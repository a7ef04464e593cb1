export type { VerifyExit } from "./_block_overlay.ts"
export { checkPrices } from "./_registrations.ts"
export { decideBlock, type LedgerRules, readBlock } from "./check_block.ts"
export { decideHead, readHead } from "./head.ts"
export {
  decideWithSlowChecks,
  type ExitProof,
  type ExitProofVerifier,
  type SlowChecks
} from "./exit_proofs.ts"
export type {
  StateAccount,
  StateRootRequest,
  StateRootVerifier,
  WrongStateRoot
} from "./state_roots.ts"
