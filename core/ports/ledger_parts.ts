import { Schema } from "effect"
import type { BlockChanges } from "../domain/mod.ts"

/** Identifies the snapshot that an answer was computed from. Every answer has one. */
export const LedgerStamp = Schema.Struct({
  ethereumBlockNum: Schema.BigInt,
  /** Null before the first batch. */
  batchNum: Schema.NullOr(Schema.Int),
  /** Grows with every applied block and batch, every price and every rollback. */
  version: Schema.Int
})
export type LedgerStamp = typeof LedgerStamp.Type

/**
 * The parts of a ledger that change separately and that answers depend on. `rollBacks` changes with
 * every rollback that removes a block, `blocks` with every block. `tokens` includes prices, `exits`
 * includes withdrawals, and `auction` is the auction variables.
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

/**
 * The version of the ledger that last changed each part; 0 if none did. A rollback changes only
 * `rollBacks`, which every answer depends on.
 */
export type PartVersions = { readonly [P in LedgerPart]: number }

/** The part versions of a ledger with only its genesis block. */
export const noPartChanged: PartVersions = Object.freeze(
  Object.fromEntries(ledgerParts.map((part) => [part, 0]))
) as PartVersions

/** Returns the parts that a block changes. */
export const partsOfBlock = (
  { batches, bids, coordinators, prices, tokens, variables, withdrawals }: BlockChanges
): ReadonlyArray<LedgerPart> => {
  const parts: Array<LedgerPart> = ["blocks"]
  if (tokens.length > 0 || prices.length > 0) parts.push("tokens")
  if (
    batches.some(({ accountUpdates, accounts }) => accounts.length > 0 || accountUpdates.length > 0)
  ) parts.push("accounts")
  if (withdrawals.length > 0 || batches.some(({ exits }) => exits.length > 0)) parts.push("exits")
  // no list contains queued transactions before they are forged
  if (batches.some(({ forged, transactions }) => forged.length > 0 || transactions.length > 0)) {
    parts.push("transactions")
  }
  if (batches.length > 0) parts.push("batches")
  if (variables.auction !== undefined) parts.push("auction")
  if (bids.length > 0) parts.push("bids")
  if (coordinators.length > 0) parts.push("coordinators")
  return parts
}

/**
 * Returns the part versions after a write: `version` for the changed parts.
 *
 * @example
 * ```ts
 * import { noPartChanged, withVersion } from "rollup-node-api"
 *
 * const parts = withVersion(noPartChanged, ["blocks", "tokens"], 3)
 * console.log(parts.blocks, parts.tokens, parts.accounts) // => 3 3 0
 * ```
 */
export const withVersion = (
  before: PartVersions,
  changed: Iterable<LedgerPart>,
  version: number
): PartVersions => {
  const after: { -readonly [P in LedgerPart]: number } = { ...before }
  for (const part of changed) after[part] = version
  return Object.freeze(after)
}
