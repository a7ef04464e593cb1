import type { BlockChanges } from "../../domain/mod.ts"
import type { LedgerPart } from "../../ports/mod.ts"

/** Returns the parts that a block changes. */
export const partsOfBlock = (
  { batches, bids, coordinators, prices, tokens, variables, withdrawals }: BlockChanges
): ReadonlyArray<LedgerPart> => {
  const parts: Array<LedgerPart> = ["blocks"]
  if (tokens.length > 0 || prices.length > 0) parts.push("tokens")
  if (batches.some(({ accounts }) => accounts.length > 0)) parts.push("accounts")
  if (withdrawals.length > 0 || batches.some(({ exits }) => exits.length > 0)) parts.push("exits")
  // no list contains queued transactions before they are forged
  if (batches.some(({ forged, transactions }) => forged.length > 0 || transactions.length > 0)) {
    parts.push("transactions")
  }
  if (batches.length > 0) parts.push("batches")
  if (variables.auction !== undefined) parts.push("auction")
  if (bids.length > 0) parts.push("bids")
  if (coordinators.length > 0) parts.push("coordinators")
  if (variables.rollup !== undefined) parts.push("verifiers")
  return parts
}
