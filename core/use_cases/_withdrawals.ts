import type { BlockChanges, Exit, New } from "../domain/mod.ts"
import type { BlockWork } from "./_block_work.ts"
import { type BlockViolation, violation } from "./block_violation.ts"

/** Withdraws exits, also those of this block's batches: at once, or by a request to the delayer. */
export function withdrawExits(work: BlockWork): BlockViolation | undefined {
  for (const [position, { accountIndex, batchNum, instant }] of (work.block.withdrawals ?? []).entries()) {
    const exit = work.exit(batchNum, accountIndex)
    const place = `/withdrawals/${position}`
    if (exit === undefined) {
      return violation("exit-exists", accountIndex, `an account with an exit in batch ${batchNum}`, `${place}/accountIndex`)
    }
    if (exit.instantWithdrawn !== null || exit.delayedWithdrawRequest !== null) {
      const block = exit.instantWithdrawn ?? exit.delayedWithdrawRequest
      const expected = `an exit of batch ${batchNum} that was not withdrawn in block ${block} already`
      return violation("exit-open", accountIndex, expected, `${place}/accountIndex`)
    }
    mark(work, exit, instant ? "instantWithdrawn" : "delayedWithdrawRequest")
  }
  return undefined
}

/** Collects from the delayer, which pools what an owner requested of a token: all of it is settled at once. */
export function collectDelayed(work: BlockWork): BlockViolation | undefined {
  for (const [position, { owner, tokenId }] of (work.block.delayedWithdrawals ?? []).entries()) {
    const requested = new Map<string, New<Exit>>()
    for (const exit of [...work.view.requestedExits(owner, tokenId), ...work.changedExits]) {
      const current = work.exit(exit.batchNum, exit.accountIndex) ?? exit
      if (current.address === owner && current.tokenId === tokenId && isRequested(current)) {
        requested.set(`${current.batchNum}:${current.accountIndex}`, current)
      }
    }
    if (requested.size === 0) {
      return violation("withdrawal-requested", owner, `an owner with a requested withdrawal of token ${tokenId}`, `/delayedWithdrawals/${position}`)
    }
    for (const exit of requested.values()) mark(work, exit, "delayedWithdrawn")
  }
  return undefined
}

const isRequested = (exit: New<Exit>): boolean => exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null

function mark(work: BlockWork, exit: New<Exit>, field: BlockChanges["withdrawals"][number]["field"]): void {
  work.setExit({ ...exit, [field]: work.block.number })
  work.withdrawals.push({ batchNum: exit.batchNum, accountIndex: exit.accountIndex, field })
}
