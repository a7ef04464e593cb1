import { BlockFeed, changedAuctionVariables, type BlockChanges } from "../../domain/mod.ts"
import type { PriorLedger, Decision } from "../../ports/mod.ts"
import {
  type BlockViolation,
  boundaryDecoder,
  violationOfBlock,
  violationsIn
} from "../violation/mod.ts"
import { type BlockRules, StagedBlock } from "./_staged_block.ts"
import { Result } from "effect"

import {
  addBids,
  registerCoordinators,
  sortedRegistrations,
  addTokens,
  applyPrices,
  registeredTokens
} from "./_registrations.ts"
import { forgeBatches } from "./_batches.ts"
import { checkChainLink, checkStored } from "./_chain_link.ts"
import {
  type BuildExitTree,
  exitLeaves,
  lacksProofs,
  noExitTree,
  withExitTrees
} from "./exit_trees.ts"
import { fillQueues, queuedRows } from "./_queue.ts"
import { withdrawExits } from "./_withdrawals.ts"

/**
 * Stores changed variables with the number of the block, and new verifiers, which keep the number
 * of the last change of the other variables.
 */
function changeVariables(staged: StagedBlock): undefined {
  const { auctionVariables, number, rollupVariables, verifiers, withdrawalDelayerVariables } =
    staged.block
  const ethereumBlockNum = number
  const { auction, rollup } = staged.prior.variables
  if (rollupVariables !== undefined) {
    staged.variables.rollup = {
      ...rollupVariables,
      ethereumBlockNum,
      verifiers: verifiers ?? rollup.verifiers
    }
  } else if (verifiers !== undefined) {
    staged.variables.rollup = { ...rollup, verifiers }
  }
  if (auctionVariables !== undefined) {
    staged.variables.auction = changedAuctionVariables(auction, {
      ...auctionVariables,
      ethereumBlockNum
    })
  }
  if (withdrawalDelayerVariables !== undefined) {
    staged.variables.withdrawalDelayer = { ...withdrawalDelayerVariables, ethereumBlockNum }
  }
}

/**
 * Updates the withdrawal buckets. `ethereumBlockNum` stays: it is the block of the last parameter
 * change, and each bucket has its own `blockStamp`.
 */
function updateBuckets(staged: StagedBlock): BlockViolation | undefined {
  for (const [position, update] of (staged.block.bucketUpdates ?? []).entries()) {
    const { bucket, ...change } = update
    const rollup = staged.variables.rollup ?? staged.prior.variables.rollup
    if (bucket >= rollup.buckets.length) {
      const expected = `the position of one of ${rollup.buckets.length} buckets`
      return violationsIn(update, `/bucketUpdates/${position}`)("bucket-exists", "bucket", expected)
    }
    staged.variables.rollup = {
      ...rollup,
      buckets: rollup.buckets.map((old, index) => index === bucket ? { ...old, ...change } : old)
    }
  }
  return undefined
}

/** The rules of decisions about writes: constants and functions of the network. */
export interface LedgerRules extends BlockRules {
  /**
   * Builds the exit tree of each batch. The exits of the feed must be in it, and those that the feed
   * leaves out are taken from it. If absent, the feed must have all proofs, and only their form is
   * checked.
   */
  readonly buildExitTree?: BuildExitTree
}

/**
 * Checks a block against the ledger. Returns its changes, or `alreadyStored` for a block of the
 * ledger; fails with the first violation (PROTOCOL.md "Blocks"). It is pure: the same ledger gives the
 * same decision. The decision shares no data with `block`.
 *
 * It reads from the ledger only tokens, accounts, slots, bidders, exits and owners that the block
 * refers to, and the accounts and tokens of the transactions in the queues that the block forges or
 * fills.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decideBlock } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { constants } = simulation.genesis
 * const { base } = openMemoryLedger({ genesis: simulation.genesis })
 * const record = simulation.next()
 * if (record.kind !== "block") throw new Error("Expected a block")
 * const decision = decideBlock({ constants, keccak256 }, record.block)(base)
 * console.log(Result.getOrThrow(decision).kind) // => store
 * ```
 */
export const decideBlock = (
  rules: LedgerRules,
  block: BlockFeed
): (prior: PriorLedger) => Result.Result<Decision, BlockViolation> => {
  const read = readBlock(block)
  return (prior) =>
    Result.flatMap(read, (own) =>
      Result.flatMap(
        decideOwnBlock(rules, own)(prior),
        (decision) => withProofs(rules, own, decision)
      ))
}

function withProofs(
  { buildExitTree }: LedgerRules,
  block: BlockFeed,
  decision: Decision
): Result.Result<Decision, BlockViolation> {
  if (decision.kind !== "store") return Result.succeed(decision)
  const { changes } = decision
  if (buildExitTree === undefined) {
    return lacksProofs(changes)
      ? Result.fail(noExitTree(block, changes))
      : Result.succeed(decision)
  }
  return Result.map(
    withExitTrees(block, changes, exitLeaves(changes).map(buildExitTree)),
    (changes) => ({ ...decision, changes })
  )
}

/**
 * Returns a copy of the block, or a violation if it does not have the shape that the feed defines.
 */
export const readBlock = (input: BlockFeed): Result.Result<BlockFeed, BlockViolation> =>
  Result.mapError(
    readShape(input),
    (violation) =>
      violationOfBlock((input as Partial<BlockFeed> | null | undefined)?.number, violation)
  )

/**
 * Like `decideBlock`, for the result of `readBlock`, without exit trees. If the changes lack proofs,
 * pass them to `withExitTrees` before they are stored.
 */
export const decideOwnBlock =
  (rules: BlockRules, block: BlockFeed) =>
  (prior: PriorLedger): Result.Result<Decision, BlockViolation> =>
    Result.mapError(
      decide(rules, block, prior),
      (violation) => violationOfBlock(block.number, violation)
    )

const readShape = boundaryDecoder(BlockFeed)

function decide(
  rules: BlockRules,
  block: BlockFeed,
  prior: PriorLedger
): Result.Result<Decision, BlockViolation> {
  const blockStatus = checkStored(block, prior)
  if (blockStatus === "stored") return Result.succeed({ kind: "alreadyStored" })
  if (blockStatus !== "new") return Result.fail(blockStatus)
  const unlinked = checkChainLink(block, prior, rules.constants.auction)
  if (unlinked !== undefined) return Result.fail(unlinked)
  const staged = new StagedBlock(rules, block, prior)
  for (const step of STEPS) {
    const violation = step(staged)
    if (violation !== undefined) return Result.fail(violation)
  }
  return Result.succeed({ kind: "store", changes: changesOf(staged) })
}

/** The steps of a decision, in order: each sees the changes of the previous ones. */
const STEPS: ReadonlyArray<(staged: StagedBlock) => BlockViolation | undefined> = [
  addTokens,
  applyPrices,
  registerCoordinators,
  addBids,
  fillQueues,
  forgeBatches,
  changeVariables,
  updateBuckets,
  withdrawExits
]

function changesOf(staged: StagedBlock): BlockChanges {
  const { hash, lastEthereumBlock, number, prices, timestampMs } = staged.block
  return {
    block: { number, hash, timestampMs },
    lastEthereumBlock: [number, lastEthereumBlock ?? number, staged.prior.lastEthereumBlock].reduce(
      (a, b) => a > b ? a : b
    ),
    prices: prices ?? [],
    coordinators: sortedRegistrations(staged),
    bids: staged.bids,
    tokens: registeredTokens(staged),
    batches: staged.batches,
    queued: queuedRows(staged),
    variables: staged.variables,
    withdrawals: staged.withdrawals
  }
}
