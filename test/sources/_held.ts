import { Effect } from "effect"
import { LedgerReader } from "../../core/ports/mod.ts"

/** What a ledger holds, but for the places of items in their lists: those leave gaps for what was rolled back, as often as that happened. */
export const held = Effect.gen(function*() {
  const reader = yield* LedgerReader
  const { items: accounts } = yield* reader.list("accounts", { filters: {}, limit: 2000 })
  const { items: batches } = yield* reader.list("batches", { filters: {}, limit: 2000 })
  return {
    accounts: accounts.map(({ account }) => ({ ...account, itemId: 0 })),
    batches: batches.map((batch) => ({ ...batch, itemId: 0 }))
  }
})
