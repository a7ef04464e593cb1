import type { Facts } from "../../laws/mod.ts"

const lists = ["tokens", "accounts", "exits", "batches", "bids", "coordinators"] as const

/** The number that the next item of each list gets: never one that was given before, whatever was rolled back. */
export interface Counters {
  readonly next: { readonly [list in typeof lists[number] | "transactions"]: number }
}

/** Ether has a number from the start. */
export const firstCounters: Counters = {
  next: { tokens: 2, accounts: 1, exits: 1, batches: 1, bids: 1, coordinators: 1, transactions: 1 }
}

/**
 * Numbers what a block brought. A transaction has a number as soon as it waits, and a new one when it is forged: the list of the forged
 * ones grows at its end.
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
