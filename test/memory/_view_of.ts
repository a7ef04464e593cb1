import { Result } from "effect"
import type { MemoryLedger } from "../../adapters/memory/mod.ts"
import type { PriceFeed } from "../../core/domain/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"

/** Returns the view of a ledger, which always shows the current state. */
export const viewOf = (ledger: MemoryLedger): LedgerView => ledger.view

export const setPrices = (ledger: MemoryLedger, prices: ReadonlyArray<PriceFeed>) =>
  Result.getOrThrow(ledger.setPrices(prices, () => Result.succeed(undefined)))
