import { Effect, Result } from "effect"
import type { BlockFeed } from "../../domain/mod.ts"
import type { Decision, LedgerView, StoreFailure } from "../../ports/mod.ts"
import { type BlockViolation, violationOfBlock } from "../violation/mod.ts"
import type { VerifyExit } from "./_block_overlay.ts"
import { wrongProofOf } from "./_exits.ts"
import { decideOwnBlock, type LedgerRules } from "./check_block.ts"
import {
  type StateRootRequest,
  stateRootRequest,
  type StateRootVerifier,
  wrongStateRootOf
} from "./state_roots.ts"

/** An exit with its proof, and the expected exit root. */
export type ExitProof = Parameters<VerifyExit>

/**
 * Returns the position of the first wrong proof, or undefined if all are valid. The verification is
 * the most expensive part of applying a block.
 */
export type ExitProofVerifier = (
  proofs: ReadonlyArray<ExitProof>
) => Effect.Effect<number | undefined>

/** The slow checks of a block, which run after all other rules. */
export interface SlowChecks {
  readonly verifyExitProofs?: ExitProofVerifier
  readonly verifyStateRoots?: StateRootVerifier
}

/** Like `decideOwnBlock`, but runs the slow checks in the `check` of the decision. */
export const decideWithSlowChecks = (
  rules: Omit<LedgerRules, "verifyExit">,
  { verifyExitProofs, verifyStateRoots }: SlowChecks,
  block: BlockFeed
) =>
(
  view: LedgerView
): Result.Result<Decision<BlockViolation | StoreFailure>, BlockViolation> => {
  const proofs: Array<ExitProof> = []
  const verifyExit: VerifyExit = (...proof) => proofs.push(proof) > 0
  return Result.map(
    decideOwnBlock(
      verifyExitProofs === undefined ? rules : { ...rules, verifyExit },
      block
    )(view),
    (decision) => {
      if (decision.kind !== "store") return decision
      const checks = [
        ...verifyExitProofs === undefined || proofs.length === 0
          ? []
          : [checkOf(verifyExitProofs, proofs, block)],
        ...verifyStateRoots === undefined
          ? []
          : [checkRootsOf(verifyStateRoots, block, stateRootRequest(block, decision.changes, view))]
      ]
      return checks.length === 0
        ? decision
        : { ...decision, check: Effect.all(checks, { discard: true }) }
    }
  )
}

const checkRootsOf = (
  verifyStateRoots: StateRootVerifier,
  block: BlockFeed,
  request: StateRootRequest
): Effect.Effect<void, BlockViolation | StoreFailure> =>
  Effect.flatMap(
    verifyStateRoots(request),
    (wrong) => wrong === null ? Effect.void : Effect.fail(wrongStateRootOf(block, wrong))
  )

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
