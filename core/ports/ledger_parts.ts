import type { BlockChanges } from "../domain/mod.ts"

/**
 * What changes separately in a ledger, and so what an answer can depend on: `rollBacks` are those that dropped a block, `tokens` have their
 * prices, `auction` are its variables, and `blocks` is whatever a block changes. An exit and a withdrawal of it change `exits`.
 */
export const ledgerParts = [
  "rollBacks",
  "blocks",
  "tokens",
  "accounts",
  "exits",
  "transactions",
  "batches",
  "auction",
  "bids",
  "coordinators"
] as const
export type LedgerPart = typeof ledgerParts[number]

/** Of each part the version of the ledger that changed it last; 0 where nothing did. A rollback counts for `rollBacks` alone, which every answer depends on. */
export type PartVersions = { readonly [P in LedgerPart]: number }

/** The parts of a ledger that holds its genesis block. */
export const noPartChanged: PartVersions = Object.freeze(
  Object.fromEntries(ledgerParts.map((part) => [part, 0]))
) as PartVersions

/** What a block changes. */
export const partsOfBlock = (
  { batches, bids, coordinators, prices, tokens, variables, withdrawals }: BlockChanges
): ReadonlyArray<LedgerPart> => {
  const parts: Array<LedgerPart> = ["blocks"]
  if (tokens.length > 0 || prices.length > 0) parts.push("tokens")
  if (
    batches.some(({ accountUpdates, accounts }) => accounts.length > 0 || accountUpdates.length > 0)
  ) parts.push("accounts")
  if (withdrawals.length > 0 || batches.some(({ exits }) => exits.length > 0)) parts.push("exits")
  // a queue is forged only with its transactions; until then they are in no list, and nothing about them changes
  if (batches.some(({ forged, transactions }) => forged.length > 0 || transactions.length > 0)) {
    parts.push("transactions")
  }
  if (batches.length > 0) parts.push("batches")
  if (variables.auction !== undefined) parts.push("auction")
  if (bids.length > 0) parts.push("bids")
  if (coordinators.length > 0) parts.push("coordinators")
  return parts
}

/** The parts after a version that changed some of them. */
export const withVersion = (
  before: PartVersions,
  changed: Iterable<LedgerPart>,
  version: number
): PartVersions => {
  const after: { -readonly [P in LedgerPart]: number } = { ...before }
  for (const part of changed) after[part] = version
  return Object.freeze(after)
}
