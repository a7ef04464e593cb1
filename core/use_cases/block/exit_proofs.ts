import { Effect, Result } from "effect"
import type { BlockChanges, BlockFeed } from "../../domain/mod.ts"
import type {
  Decision,
  DeferredDecision,
  LedgerView,
  StoreDecision,
  StoreFailure
} from "../../ports/mod.ts"
import { type BlockViolation, violationOfBlock } from "../violation/mod.ts"
import type { VerifyExit } from "./_staged_block.ts"
import { wrongProofOf } from "./_exits.ts"
import { decideOwnBlock, type LedgerRules, readBlock } from "./check_block.ts"
import { type ExitTreeBuilder, noExitTree, unprovenBatches, withExitTrees } from "./exit_trees.ts"
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
  /** Derives the exits that a batch of the feed does not have. If absent, it must have them. */
  readonly buildExitTrees?: ExitTreeBuilder
  readonly verifyStateRoots?: StateRootVerifier
}

type SlowDecision =
  | Decision<BlockViolation | StoreFailure>
  | DeferredDecision<BlockViolation | StoreFailure>

/**
 * Like `decideBlock`, but runs the slow checks in the `check` of the decision, and defers a decision
 * that needs exit trees.
 *
 * @example
 * ```ts
 * import { Effect, Result } from "effect"
 * import { decideBlockWithChecks } from "rollup-node-api"
 * import { exitTree, keccak256 } from "rollup-node-api/crypto"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const { view } = openMemoryLedger({ genesis })
 * const record = next()
 * if (record.kind !== "block") throw new Error("Expected a block")
 * const rules = { constants: genesis.constants, keccak256 }
 * const decide = decideBlockWithChecks(rules, {
 *   buildExitTrees: (batches) => Effect.sync(() => batches.map(exitTree))
 * }, record.block)
 * console.log(Result.getOrThrow(decide(view)).kind) // => store
 * ```
 */
export const decideBlockWithChecks = (
  rules: Omit<LedgerRules, "buildExitTree">,
  checks: SlowChecks,
  block: BlockFeed
): (view: LedgerView) => Result.Result<SlowDecision, BlockViolation> => {
  const read = readBlock(block)
  return (view) => Result.flatMap(read, (own) => decideOwnBlockWithChecks(rules, checks, own)(view))
}

/** Like `decideBlockWithChecks`, for the result of `readBlock`. */
export const decideOwnBlockWithChecks = (
  rules: Omit<LedgerRules, "buildExitTree">,
  checks: SlowChecks,
  block: BlockFeed
) =>
(view: LedgerView): Result.Result<SlowDecision, BlockViolation> => {
  const proofs: Array<ExitProof> = []
  const verifyExit: VerifyExit = (...proof) => proofs.push(proof) > 0
  const decided = decideOwnBlock(
    checks.verifyExitProofs === undefined ? rules : { ...rules, verifyExit },
    block
  )(view)
  return Result.flatMap(decided, (decision): Result.Result<SlowDecision, BlockViolation> => {
    if (decision.kind !== "store") return Result.succeed(decision)
    const check = checkOf(checks, proofs, block, decision.changes, view)
    const store = (changes: BlockChanges): StoreDecision<BlockViolation | StoreFailure> =>
      check === undefined ? { kind: "store", changes } : { kind: "store", changes, check }
    return unprovenBatches(decision.changes).length === 0
      ? Result.succeed(store(decision.changes))
      : Result.map(
        proofsOf(checks, block, decision.changes),
        (completed) => ({ kind: "deferred", resolve: Effect.map(completed, store) })
      )
  })
}

/** Returns an effect with the changes and all proofs, or fails if there is no builder. */
const proofsOf = (
  { buildExitTrees }: SlowChecks,
  block: BlockFeed,
  changes: BlockChanges
): Result.Result<Effect.Effect<BlockChanges, BlockViolation>, BlockViolation> =>
  buildExitTrees === undefined
    ? Result.fail(noExitTree(block, changes))
    : Result.succeed(
      Effect.flatMap(
        buildExitTrees(unprovenBatches(changes)),
        (trees) =>
          trees === null
            ? Effect.fail(noExitTree(block, changes))
            : Effect.fromResult(withExitTrees(block, changes, trees))
      )
    )

/** Returns the slow checks of a block; undefined if there are none. */
function checkOf(
  { verifyExitProofs, verifyStateRoots }: SlowChecks,
  proofs: ReadonlyArray<ExitProof>,
  block: BlockFeed,
  changes: BlockChanges,
  view: LedgerView
): Effect.Effect<void, BlockViolation | StoreFailure> | undefined {
  const checks = [
    ...verifyExitProofs === undefined || proofs.length === 0
      ? []
      : [checkProofsOf(verifyExitProofs, proofs, block)],
    ...verifyStateRoots === undefined
      ? []
      : [checkRootsOf(verifyStateRoots, block, stateRootRequest(block, changes, view))]
  ]
  return checks.length === 0 ? undefined : Effect.all(checks, { discard: true })
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

const checkProofsOf = (
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
