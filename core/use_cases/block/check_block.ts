import { Result } from "effect"
import { type BlockChanges, BlockFeed, type NetworkConstants } from "../../domain/mod.ts"
import type { Keccak256 } from "../../encoding/mod.ts"
import type { Decision, LedgerView } from "../../ports/mod.ts"
import { type BlockViolation, boundaryDecoder, violationOfBlock } from "../violation/mod.ts"
import { placeBids, registerCoordinators, sortedRegistrations } from "./_auction.ts"
import { forgeBatches } from "./_batches.ts"
import { BlockOverlay, type VerifyExit } from "./_block_overlay.ts"
import { checkChainLink, checkStored } from "./_chain_link.ts"
import { changeVariables, updateBuckets } from "./_parameters.ts"
import { fillQueues, queuedRows } from "./_queue.ts"
import { addTokens, applyPrices, registeredTokens } from "./_tokens.ts"
import { collectDelayed, withdrawExits } from "./_withdrawals.ts"

/** What decisions about writes depend on besides the ledger; constant while a ledger is open. */
export interface LedgerRules {
  readonly constants: NetworkConstants
  readonly keccak256: Keccak256
  /** Verifies exit proofs. If absent, only their form is checked. */
  readonly verifyExit?: VerifyExit
}

/**
 * Checks a block against the ledger and returns its changes; a block that is already stored is no
 * violation. It is pure: the same view gives the same decision (domain §7.2). The decision shares
 * no data with `block`, which the caller may change afterwards.
 *
 * It reads from the view what the block names (tokens, accounts, slots, bidders, exits, owners),
 * and the accounts and tokens of the transactions in the queues that the block forges or fills.
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
    (violated) =>
      violationOfBlock((input as Partial<BlockFeed> | null | undefined)?.number, violated)
  )

/** Like `decideBlock`, for the result of `readBlock`. */
export const decideOwnBlock =
  (rules: LedgerRules, block: BlockFeed) =>
  (view: LedgerView): Result.Result<Decision, BlockViolation> =>
    Result.mapError(
      decide(rules, block, view),
      (violated) => violationOfBlock(block.number, violated)
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
    const violated = step(overlay)
    if (violated !== undefined) return Result.fail(violated)
  }
  return Result.succeed({ kind: "store", changes: changesOf(overlay) })
}

/** The order matters: later steps see the changes of earlier ones. */
const STEPS: ReadonlyArray<(overlay: BlockOverlay) => BlockViolation | undefined> = [
  addTokens,
  applyPrices,
  registerCoordinators,
  placeBids,
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
      (
        a,
        b
      ) => a > b ? a : b
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
