import { Result } from "effect"
import { type BlockChanges, BlockFeed, type Network, type NetworkConstants } from "../domain/mod.ts"
import type { Keccak256 } from "../encoding/mod.ts"
import type { Decision, LedgerView } from "../ports/mod.ts"
import { placeBids, registerCoordinators, sortedRegistrations } from "./_auction.ts"
import { forgeBatches } from "./_batches.ts"
import { BlockWork, type VerifyExit } from "./_block_work.ts"
import { checkChainLink, checkStored } from "./_chain_link.ts"
import { changeVariables, updateBuckets } from "./_parameters.ts"
import { fillQueues, queuedRows } from "./_queue.ts"
import { shapeOf } from "./_shape.ts"
import { addTokens, applyPrices, registeredTokens } from "./_tokens.ts"
import { collectDelayed, withdrawExits } from "./_withdrawals.ts"
import type { BlockViolation } from "./block_violation.ts"

/** What decisions about writes depend on besides the ledger; fixed for good when a ledger is opened. */
export interface LedgerRules {
  readonly network: Network
  readonly constants: NetworkConstants
  readonly keccak256: Keccak256
  /** Without it exit proofs are not computed anew: only their form is checked. */
  readonly verifyExit?: VerifyExit
}

/**
 * Checks a block against the ledger and against itself, and says what it changes; a block that the ledger holds already is no
 * violation. Pure: calling it again with the same view gives the same decision (domain §7.2).
 *
 * Of the view it reads what the block names (tokens, accounts, slots, bidders, exits, owners), and what the transactions of the queues
 * that it forges or fills name: their accounts and tokens, and the tokens of all those accounts.
 */
export const decideBlock = (rules: LedgerRules, block: BlockFeed) => (view: LedgerView): Result.Result<Decision, BlockViolation> => {
  const misshapen = checkBlockShape(block)
  if (misshapen !== undefined) return Result.fail(misshapen)
  const standing = checkStored(block, view)
  if (standing === "stored") return Result.succeed({ kind: "alreadyStored" })
  if (standing !== "new") return Result.fail(standing)
  const unlinked = checkChainLink(block, view)
  if (unlinked !== undefined) return Result.fail(unlinked)
  const work = new BlockWork(rules, block, view)
  for (const step of STEPS) {
    const violated = step(work)
    if (violated !== undefined) return Result.fail(violated)
  }
  return Result.succeed({ kind: "store", changes: changesOf(work) })
}

const checkBlockShape = shapeOf(BlockFeed)

/** In this order each part finds what it refers to: later parts see what earlier ones brought. */
const STEPS: ReadonlyArray<(work: BlockWork) => BlockViolation | undefined> = [
  addTokens, applyPrices, registerCoordinators, placeBids, fillQueues, forgeBatches, changeVariables, updateBuckets, withdrawExits,
  collectDelayed
]

function changesOf(work: BlockWork): BlockChanges {
  const { hash, lastEthereumBlock, number, prices, timestampMs } = work.block
  return {
    block: { number, hash, timestampMs },
    lastEthereumBlock: lastEthereumBlock ?? number,
    prices: prices ?? [],
    coordinators: sortedRegistrations(work),
    bids: work.bids,
    tokens: registeredTokens(work),
    batches: work.batches,
    queued: queuedRows(work),
    variables: work.variables,
    withdrawals: work.withdrawals
  }
}
