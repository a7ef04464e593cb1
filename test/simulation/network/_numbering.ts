import type { Facts } from "../../laws/mod.ts"

const lists = ["tokens", "accounts", "exits", "batches", "bids", "coordinators"] as const

/** The next itemId of each list: never one that was used before, also after rollbacks. */
export interface Counters {
  readonly next: { readonly [list in typeof lists[number] | "transactions"]: number }
}

/** Ether has an itemId from the start. */
export const firstCounters: Counters = {
  next: { tokens: 2, accounts: 1, exits: 1, batches: 1, bids: 1, coordinators: 1, transactions: 1 }
}

/**
 * Assigns itemIds to the rows of a block. A queued transaction has an itemId, and gets a new one
 * when it is forged, because the list of forged transactions grows at its end.
 */
export function numbered(
  before: Facts,
  after: Facts,
  { next }: Counters
): { readonly facts: Facts; readonly counters: Counters } {
  const facts = { ...after } as { -readonly [Part in keyof Facts]: Facts[Part] }
  const counters = { ...next }
  for (const list of lists) {
    if (after[list].every(({ itemId }) => itemId > 0)) continue
    facts[list] = (after[list] as ReadonlyArray<{ readonly itemId: number }>).map((row) =>
      row.itemId > 0 ? row : { ...row, itemId: counters[list]++ }
    ) as never
  }
  // a queue is never forged in the block that fills it
  facts.queued = after.queued.map((row) =>
    row.itemId > 0 ? row : { ...row, itemId: counters.transactions++ }
  )
  facts.transactions = after.transactions.map((row, at) =>
    at < before.transactions.length ? row : { ...row, itemId: counters.transactions++ }
  )
  return { facts, counters: { next: counters } }
}
