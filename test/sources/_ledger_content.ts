import { Effect } from "effect"
import { LedgerReader } from "../../core/ports/mod.ts"

/** The content of a ledger without itemIds, whose gaps depend on the number of rollbacks. */
export const ledgerContent = Effect.gen(function*() {
  const reader = yield* LedgerReader
  const { items: accounts } = yield* reader.list("accounts", { filters: {}, limit: 2000 })
  const { items: batches } = yield* reader.list("batches", { filters: {}, limit: 2000 })
  return {
    accounts: accounts.map(({ account }) => ({ ...account, itemId: 0 })),
    batches: batches.map((batch) => ({ ...batch, itemId: 0 }))
  }
})
