import type { BlockChanges, Exit, New } from "../../domain/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Applies withdrawals of exits: instant ones, and requests to the delayer. */
export function withdrawExits(overlay: BlockOverlay): BlockViolation | undefined {
  for (
    const [position, { accountIndex, batchNum, instant }] of (overlay.block.withdrawals ?? [])
      .entries()
  ) {
    const exit = overlay.exit(batchNum, accountIndex)
    const pointer = `/withdrawals/${position}`
    if (exit === undefined) {
      return makeViolation(
        "exit-exists",
        accountIndex,
        `an account with an exit in batch ${batchNum}`,
        `${pointer}/accountIndex`
      )
    }
    if (exit.instantWithdrawn !== null || exit.delayedWithdrawRequest !== null) {
      const block = exit.instantWithdrawn ?? exit.delayedWithdrawRequest
      const expected =
        `an exit of batch ${batchNum} that was not withdrawn in block ${block} already`
      return makeViolation("exit-open", accountIndex, expected, `${pointer}/accountIndex`)
    }
    setWithdrawn(overlay, exit, instant ? "instantWithdrawn" : "delayedWithdrawRequest")
  }
  return undefined
}

/**
 * Applies collections from the delayer: each settles every exit that the owner requested for a
 * token in earlier blocks. It runs before `withdrawExits`, since the delay prevents a collection in
 * the block of the request.
 */
export function collectDelayed(overlay: BlockOverlay): BlockViolation | undefined {
  for (const [position, { owner, tokenId }] of (overlay.block.delayedWithdrawals ?? []).entries()) {
    // an earlier collection in the same block may have settled them
    const requested = overlay.view.requestedExits(owner, tokenId).filter((exit) =>
      overlay.exit(exit.batchNum, exit.accountIndex)?.delayedWithdrawn === null
    )
    if (requested.length === 0) {
      const expected =
        `an owner with a withdrawal of token ${tokenId} that an earlier block requested`
      return makeViolation(
        "withdrawal-requested",
        owner,
        expected,
        `/delayedWithdrawals/${position}`
      )
    }
    for (const exit of requested) setWithdrawn(overlay, exit, "delayedWithdrawn")
  }
  return undefined
}

function setWithdrawn(
  overlay: BlockOverlay,
  exit: New<Exit>,
  field: BlockChanges["withdrawals"][number]["field"]
): void {
  overlay.setExit({ ...exit, [field]: overlay.block.number })
  overlay.withdrawals.push({ batchNum: exit.batchNum, accountIndex: exit.accountIndex, field })
}
