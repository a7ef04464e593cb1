import { Effect, Result } from "effect"
import type { Account, BlockChanges, BlockFeed } from "../../domain/mod.ts"
import type {
  Decision,
  DeferredDecision,
  PriorLedger,
  StoreDecision,
  StoreFailure
} from "../../ports/mod.ts"
import { type BlockViolation, violationsIn } from "../violation/mod.ts"
import type { BlockRules } from "./_staged_block.ts"
import { decideOwnBlock, readBlock } from "./check_block.ts"
import {
  type ExitTreeBuilder,
  exitLeaves,
  lacksProofs,
  noExitTree,
  violationAt,
  withExitTrees
} from "./exit_trees.ts"

/** The fields of an account from which its leaf in the state tree is computed. */
export type StateAccount = Pick<
  Account,
  "index" | "tokenId" | "nonce" | "balance" | "publicKey" | "address"
>

/** A block whose state roots are to be verified. */
export interface StateRootRequest {
  readonly parentHash: string
  readonly parentNumber: bigint
  readonly hash: string
  /** Whether there is no batch before this block, and so no account. */
  readonly isFirst: boolean
  /** The batches in order, each with its declared root and the accounts that it created or changed. */
  readonly batches: ReadonlyArray<
    { readonly stateRoot: bigint; readonly accounts: ReadonlyArray<StateAccount> }
  >
}

/** The first batch of a block whose state root is wrong, and the root of all accounts after it. */
export interface WrongStateRoot {
  readonly position: number
  readonly expected: bigint
}

/**
 * Verifies the state roots of a block; null if all are right. Called for every new block, also for
 * one without batches, after all other checks. Fails with a transient `StoreFailure` while it reads
 * the accounts of the ledger.
 */
export type StateRootVerifier = (
  request: StateRootRequest
) => Effect.Effect<WrongStateRoot | null, StoreFailure>

/** The slow checks of a block, which run after all other rules. */
export interface SlowChecks {
  /**
   * Builds the exit trees of the batches. The exits of the feed must be in them, and those that the
   * feed leaves out are taken from them. If absent, the feed must have all proofs, and only their
   * form is checked.
   */
  readonly buildExitTrees?: ExitTreeBuilder
  readonly verifyStateRoots?: StateRootVerifier
}

type Failure = BlockViolation | StoreFailure
type SlowDecision = Decision<Failure> | DeferredDecision<Failure>

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
 * const { base } = openMemoryLedger({ genesis })
 * const record = next()
 * if (record.kind !== "block") throw new Error("Expected a block")
 * const rules = { constants: genesis.constants, keccak256 }
 * const decide = decideBlockWithChecks(rules, {
 *   buildExitTrees: (batches) => Effect.sync(() => batches.map(exitTree))
 * }, record.block)
 * console.log(Result.getOrThrow(decide(base)).kind) // => store
 * ```
 */
export const decideBlockWithChecks = (
  rules: BlockRules,
  checks: SlowChecks,
  block: BlockFeed
): (prior: PriorLedger) => Result.Result<SlowDecision, BlockViolation> => {
  const read = readBlock(block)
  return (prior) =>
    Result.flatMap(read, (own) => decideOwnBlockWithChecks(rules, checks, own)(prior))
}

/** Like `decideBlockWithChecks`, for the result of `readBlock`. */
export const decideOwnBlockWithChecks = (
  rules: BlockRules,
  checks: SlowChecks,
  block: BlockFeed
) =>
(prior: PriorLedger): Result.Result<SlowDecision, BlockViolation> =>
  Result.flatMap(
    decideOwnBlock(rules, block)(prior),
    (decision): Result.Result<SlowDecision, BlockViolation> => {
      if (decision.kind !== "store") return Result.succeed(decision)
      const { changes } = decision
      const proven = provenBy(checks, block, changes)
      const rootCheck = rootCheckOf(checks, block, changes, prior)
      if (!lacksProofs(changes)) return Result.succeed(storeAfter(changes, proven, rootCheck))
      return proven === undefined ? Result.fail(noExitTree(block, changes)) : Result.succeed({
        kind: "deferred",
        resolve: Effect.map(proven, (changes) => storeAfter(changes, rootCheck))
      })
    }
  )

type Check = Effect.Effect<unknown, Failure> | undefined

const storeAfter = (
  changes: BlockChanges,
  ...checks: ReadonlyArray<Check>
): StoreDecision<Failure> => {
  const given = checks.filter((check) => check !== undefined)
  return given.length === 0
    ? { kind: "store", changes }
    : { kind: "store", changes, check: Effect.all(given, { discard: true }) }
}

/**
 * Returns an effect that compares the proofs of the feed with the exit trees, and returns the changes
 * with all proofs; undefined if there are no exits or no builder.
 */
const provenBy = (
  { buildExitTrees }: SlowChecks,
  block: BlockFeed,
  changes: BlockChanges
): Effect.Effect<BlockChanges, BlockViolation> | undefined => {
  const leaves = exitLeaves(changes)
  if (buildExitTrees === undefined || leaves.length === 0) return undefined
  return Effect.flatMap(buildExitTrees(leaves), (trees) =>
    trees !== null
      ? Effect.fromResult(withExitTrees(block, changes, trees))
      : lacksProofs(changes)
      ? Effect.fail(noExitTree(block, changes))
      : Effect.succeed(changes))
}

const rootCheckOf = (
  { verifyStateRoots }: SlowChecks,
  block: BlockFeed,
  { batches }: BlockChanges,
  { lastBatchNum, lastBlock }: PriorLedger
): Check => {
  if (verifyStateRoots === undefined) return undefined
  const request = {
    hash: block.hash,
    parentHash: lastBlock.hash,
    parentNumber: lastBlock.number,
    isFirst: lastBatchNum === 0,
    batches: batches.map(({ accounts, batch: { stateRoot } }) => ({ stateRoot, accounts }))
  }
  return Effect.flatMap(verifyStateRoots(request), (wrong) => {
    if (wrong === null) return Effect.void
    const expected = `${wrong.expected}, the root of all accounts after the batch`
    const refuse = violationsIn(block.batches![wrong.position]!, "")
    return Effect.fail(
      violationAt(block, wrong.position, refuse("state-root", "stateRoot", expected))
    )
  })
}
