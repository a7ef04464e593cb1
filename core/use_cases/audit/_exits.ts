import type { Exit } from "../../domain/mod.ts"
import { inclusionOldLeaf } from "../../encoding/mod.ts"
import { accountOf, type BatchAudit } from "./_batch_evidence.ts"
import type { Findings } from "./findings.ts"

/** Compares the stored exits of a batch with the computed ones. */
export function auditExits(audit: BatchAudit): void {
  const { evidence: { batch: { batchNum, exitRoot }, exits }, findings, outcome } = audit
  findings.checked("exits", exits.length)
  if (outcome.exits.length === 0 && exitRoot !== 0n) {
    findings.violate("exits", `batch ${batchNum}, exitRoot`, exitRoot, "0, since nothing leaves")
  }
  const missing = new Map(outcome.exits.map(({ accountIndex, balance }) => [accountIndex, balance]))
  for (const [i, exit] of exits.entries()) {
    const { accountIndex } = exit
    const owner = accountOf(audit, accountIndex)
    findings.sameMembers("exits", () => locationOfExit(exit), exit, {
      batchNum,
      balance: missing.get(accountIndex) ?? null,
      tokenId: owner?.tokenId,
      address: owner?.address,
      publicKey: owner?.publicKey
    })
    missing.delete(accountIndex)
    findings.sameMembers(
      "exit-proofs",
      () => locationOfExit(exit),
      exit.merkleProof,
      inclusionOldLeaf
    )
    if (i > 0 && accountIndex <= exits[i - 1]!.accountIndex) {
      findings.violate(
        "exits",
        locationOfExit(exit),
        `account ${accountIndex}`,
        `an index above ${exits[i - 1]!.accountIndex}`
      )
    }
    auditWithdrawal(exit, findings)
  }
  for (const [accountIndex, balance] of missing) {
    findings.violate(
      "exits",
      `batch ${batchNum}, account ${accountIndex}`,
      "no exit",
      `one of ${balance}`
    )
  }
}

/** Returns the location of an exit for a finding. */
export const locationOfExit = ({ accountIndex, batchNum, itemId }: Exit): string =>
  `exit ${itemId} (batch ${batchNum}, account ${accountIndex})`

/**
 * Checks that an exit was withdrawn instantly, or requested and then collected: in a later block, or
 * in the same one if the delay was 0.
 */
function auditWithdrawal(exit: Exit, findings: Findings): void {
  const { delayedWithdrawn, delayedWithdrawRequest, instantWithdrawn } = exit
  if (instantWithdrawn !== null && (delayedWithdrawRequest !== null || delayedWithdrawn !== null)) {
    findings.violate(
      "withdrawals",
      locationOfExit(exit),
      "an instant and a delayed withdrawal",
      "one of both"
    )
  }
  if (
    delayedWithdrawn !== null &&
    (delayedWithdrawRequest === null || delayedWithdrawRequest > delayedWithdrawn)
  ) {
    findings.violate(
      "withdrawals",
      locationOfExit(exit),
      `collected in block ${delayedWithdrawn}, requested in ${delayedWithdrawRequest ?? "none"}`,
      "a request in this block or an earlier one"
    )
  }
}
