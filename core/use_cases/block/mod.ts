export type { VerifyExit } from "./_block_work.ts"
export { checkPrices } from "./_tokens.ts"
export { decideBlock, decideOwnBlock, type LedgerRules, readBlock } from "./check_block.ts"
export { decideJudged, type ExitProof, type JudgeExits } from "./exit_proofs.ts"
