import { Result } from "effect"
import type { MemoryLedger } from "../../adapters/memory/mod.ts"
import type { PriceFeed } from "../../core/domain/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"

/** Returns the live view of a ledger: it always shows the current content. */
export const viewOf = (ledger: MemoryLedger): LedgerView => {
  const seen: Array<LedgerView> = []
  ledger.apply((view) => {
    seen.push(view)
    return Result.succeed({ kind: "alreadyStored" })
  })
  return seen[0]!
}

export const setPrices = (ledger: MemoryLedger, prices: ReadonlyArray<PriceFeed>) =>
  Result.getOrThrow(ledger.setPrices(prices, () => Result.succeed(undefined)))
