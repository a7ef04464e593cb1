/** The state of the ledger: its tables with their indexes, and the undo logs for rollbacks. */
export { assertPrices, assertStorable } from "./_assert_changes.ts"
export type { History } from "./_history.ts"
export { frozenCopy } from "./_rows.ts"
export { indexSpecs } from "./index_specs.ts"
export type { LedgerImage } from "./ledger_image.ts"
export { type LedgerOptions, LedgerState } from "./ledger_state.ts"
export { facetNumbers } from "./list_facets.ts"
