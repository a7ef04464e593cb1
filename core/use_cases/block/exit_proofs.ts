import { Effect, Result } from "effect"
import type { BlockFeed } from "../../domain/mod.ts"
import type { Decision, LedgerView } from "../../ports/mod.ts"
import { type BlockViolation, violationOfBlock } from "../violation/mod.ts"
import type { VerifyExit } from "./_block_overlay.ts"
import { wrongProofOf } from "./_exits.ts"
import { decideOwnBlock, type LedgerRules } from "./check_block.ts"

/** An exit with its proof, and the expected exit root. */
export type ExitProof = Parameters<VerifyExit>

/**
 * Returns the position of the first wrong proof, or undefined if all are valid. The verification is
 * the most expensive part of applying a block.
 */
export type ExitProofVerifier = (
  proofs: ReadonlyArray<ExitProof>
) => Effect.Effect<number | undefined>

/**
 * Like `decideOwnBlock`, but verifies the proofs of exits in the `check` of the decision, after all
 * other rules.
 */
export const decideWithDeferredProofs =
  (rules: Omit<LedgerRules, "verifyExit">, verifyExitProofs: ExitProofVerifier, block: BlockFeed) =>
  (view: LedgerView): Result.Result<Decision<BlockViolation>, BlockViolation> => {
    const proofs: Array<ExitProof> = []
    const decided = decideOwnBlock(
      { ...rules, verifyExit: (...proof) => proofs.push(proof) > 0 },
      block
    )(view)
    return proofs.length === 0
      ? decided
      : Result.map(decided, (decision) =>
        decision.kind === "store"
          ? { ...decision, check: checkOf(verifyExitProofs, proofs, block) }
          : decision)
  }

const checkOf = (
  verifyExitProofs: ExitProofVerifier,
  proofs: ReadonlyArray<ExitProof>,
  block: BlockFeed
): Effect.Effect<void, BlockViolation> =>
  Effect.flatMap(
    verifyExitProofs(proofs),
    (wrong) =>
      wrong === undefined
        ? Effect.void
        : Effect.fail(violationOfBlock(block.number, wrongProofOf(block, wrong)))
  )
