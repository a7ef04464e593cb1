import type { BlockChanges, Exit, New } from "../../domain/mod.ts"
import { type BlockViolation, violation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Withdraws exits, also those of this block's batches: at once, or by a request to the delayer. */
export function withdrawExits(overlay: BlockOverlay): BlockViolation | undefined {
  for (
    const [position, { accountIndex, batchNum, instant }] of (overlay.block.withdrawals ?? [])
      .entries()
  ) {
    const exit = overlay.exit(batchNum, accountIndex)
    const place = `/withdrawals/${position}`
    if (exit === undefined) {
      return violation(
        "exit-exists",
        accountIndex,
        `an account with an exit in batch ${batchNum}`,
        `${place}/accountIndex`
      )
    }
    if (exit.instantWithdrawn !== null || exit.delayedWithdrawRequest !== null) {
      const block = exit.instantWithdrawn ?? exit.delayedWithdrawRequest
      const expected =
        `an exit of batch ${batchNum} that was not withdrawn in block ${block} already`
      return violation("exit-open", accountIndex, expected, `${place}/accountIndex`)
    }
    mark(overlay, exit, instant ? "instantWithdrawn" : "delayedWithdrawRequest")
  }
  return undefined
}

/**
 * Collects from the delayer, which pools what an owner requested of a token: all that was requested before this block is settled at once.
 * Runs before `withdrawExits`, since the delay keeps what this block requests from being collected in it.
 */
export function collectDelayed(overlay: BlockOverlay): BlockViolation | undefined {
  for (const [position, { owner, tokenId }] of (overlay.block.delayedWithdrawals ?? []).entries()) {
    // an earlier collection of the block may have settled them
    const requested = overlay.view.requestedExits(owner, tokenId).filter((exit) =>
      overlay.exit(exit.batchNum, exit.accountIndex)?.delayedWithdrawn === null
    )
    if (requested.length === 0) {
      const expected =
        `an owner with a withdrawal of token ${tokenId} that an earlier block requested`
      return violation("withdrawal-requested", owner, expected, `/delayedWithdrawals/${position}`)
    }
    for (const exit of requested) mark(overlay, exit, "delayedWithdrawn")
  }
  return undefined
}

function mark(
  overlay: BlockOverlay,
  exit: New<Exit>,
  field: BlockChanges["withdrawals"][number]["field"]
): void {
  overlay.setExit({ ...exit, [field]: overlay.block.number })
  overlay.withdrawals.push({ batchNum: exit.batchNum, accountIndex: exit.accountIndex, field })
}
