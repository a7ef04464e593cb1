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

/** What decisions about writes depend on besides the ledger; fixed for good when a ledger is opened. */
export interface LedgerRules {
  readonly constants: NetworkConstants
  readonly keccak256: Keccak256
  /** Without it exit proofs are not computed anew: only their form is checked. */
  readonly verifyExit?: VerifyExit
}

/**
 * Checks a block against the ledger and against itself, and says what it changes; a block that the ledger holds already is no
 * violation. Pure: calling it again with the same view gives the same decision (domain §7.2). The decision shares nothing with
 * `block`, which its giver may change afterwards.
 *
 * Of the view it reads what the block names (tokens, accounts, slots, bidders, exits, owners), and what the transactions of the queues
 * that it forges or fills name: their accounts and tokens, and the tokens of all those accounts.
 */
export const decideBlock = (
  rules: LedgerRules,
  block: BlockFeed
): (view: LedgerView) => Result.Result<Decision, BlockViolation> => {
  const read = readBlock(block)
  return (view) => Result.flatMap(read, (own) => decideOwnBlock(rules, own)(view))
}

/** A copy of a block that a host hands over, where it has the shape that the feed defines. */
export const readBlock = (given: BlockFeed): Result.Result<BlockFeed, BlockViolation> =>
  Result.mapError(
    readShape(given),
    (violated) =>
      violationOfBlock((given as Partial<BlockFeed> | null | undefined)?.number, violated)
  )

/** As `decideBlock`, for a block that `readBlock` gave. */
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

/** In this order each part finds what it refers to: later parts see what earlier ones brought. */
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
