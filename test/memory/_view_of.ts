import { Result } from "effect"
import type { MemoryLedger } from "../../adapters/memory/mod.ts"
import type { PriceFeed } from "../../core/domain/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"

/** The live view of a ledger, which a test may keep: it always shows what is stored now. */
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
