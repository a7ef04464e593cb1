import { Result } from "effect"
import { type BlockChanges, BlockFeed, type NetworkConstants } from "../../domain/mod.ts"
import type { Keccak256 } from "../../encoding/mod.ts"
import type { Decision, LedgerView } from "../../ports/mod.ts"
import { type BlockViolation, boundaryDecoder, violationOfBlock } from "../violation/mod.ts"
import { addBids, registerCoordinators, sortedRegistrations } from "./_auction.ts"
import { forgeBatches } from "./_batches.ts"
import { BlockOverlay, type VerifyExit } from "./_block_overlay.ts"
import { checkChainLink, checkStored } from "./_chain_link.ts"
import { changeVariables, updateBuckets } from "./_parameters.ts"
import { fillQueues, queuedRows } from "./_queue.ts"
import { addTokens, applyPrices, registeredTokens } from "./_tokens.ts"
import { collectDelayed, withdrawExits } from "./_withdrawals.ts"

/** The rules of decisions about writes: constants and functions of the network. */
export interface LedgerRules {
  readonly constants: NetworkConstants
  readonly keccak256: Keccak256
  /** Verifies exit proofs. If absent, only their form is checked. */
  readonly verifyExit?: VerifyExit
}

/**
 * Checks a block against the ledger. Returns its changes, or `alreadyStored` for a block of the
 * ledger; fails with the first violation. It is pure: the same view gives the same decision (domain
 * §7.2). The decision shares no data with `block`.
 *
 * It reads from the view only tokens, accounts, slots, bidders, exits and owners that the block
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
 * const { view } = openMemoryLedger({ genesis: simulation.genesis })
 * const record = simulation.next()
 * if (record.kind !== "block") throw new Error("Expected a block")
 * const decision = decideBlock({ constants, keccak256 }, record.block)(view)
 * console.log(Result.getOrThrow(decision).kind) // => store
 * ```
 */
export const decideBlock = (
  rules: LedgerRules,
  block: BlockFeed
): (view: LedgerView) => Result.Result<Decision, BlockViolation> => {
  const read = readBlock(block)
  return (view) => Result.flatMap(read, (own) => decideOwnBlock(rules, own)(view))
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

/** Like `decideBlock`, for the result of `readBlock`. */
export const decideOwnBlock =
  (rules: LedgerRules, block: BlockFeed) =>
  (view: LedgerView): Result.Result<Decision, BlockViolation> =>
    Result.mapError(
      decide(rules, block, view),
      (violation) => violationOfBlock(block.number, violation)
    )

const readShape = boundaryDecoder(BlockFeed)

function decide(
  rules: LedgerRules,
  block: BlockFeed,
  view: LedgerView
): Result.Result<Decision, BlockViolation> {
  const blockStatus = checkStored(block, view)
  if (blockStatus === "stored") return Result.succeed({ kind: "alreadyStored" })
  if (blockStatus !== "new") return Result.fail(blockStatus)
  const unlinked = checkChainLink(block, view, rules.constants.auction)
  if (unlinked !== undefined) return Result.fail(unlinked)
  const overlay = new BlockOverlay(rules, block, view)
  for (const step of STEPS) {
    const violation = step(overlay)
    if (violation !== undefined) return Result.fail(violation)
  }
  return Result.succeed({ kind: "store", changes: changesOf(overlay) })
}

/** The steps of a decision, in order: each sees the changes of the previous ones. */
const STEPS: ReadonlyArray<(overlay: BlockOverlay) => BlockViolation | undefined> = [
  addTokens,
  applyPrices,
  registerCoordinators,
  addBids,
  fillQueues,
  forgeBatches,
  changeVariables,
  updateBuckets,
  collectDelayed,
  withdrawExits
]

function changesOf(overlay: BlockOverlay): BlockChanges {
  const { hash, lastEthereumBlock, number, prices, timestampMs } = overlay.block
  return {
    block: { number, hash, timestampMs },
    lastEthereumBlock: [number, lastEthereumBlock ?? number, overlay.view.lastEthereumBlock].reduce(
      (a, b) => a > b ? a : b
    ),
    prices: prices ?? [],
    coordinators: sortedRegistrations(overlay),
    bids: overlay.bids,
    tokens: registeredTokens(overlay),
    batches: overlay.batches,
    queued: queuedRows(overlay),
    variables: overlay.variables,
    withdrawals: overlay.withdrawals
  }
}
