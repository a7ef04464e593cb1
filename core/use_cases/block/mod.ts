export type { VerifyExit } from "./_block_overlay.ts"
export { checkPrices } from "./_tokens.ts"
export { decideBlock, decideOwnBlock, type LedgerRules, readBlock } from "./check_block.ts"
export { decideWithDeferredProofs, type ExitProof, type ExitProofVerifier } from "./exit_proofs.ts"
