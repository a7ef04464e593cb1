/** The state of the ledger: its tables with their indexes, and what a rollback undoes. */
export { type AnyIndexSpec, type DerivedFacet, indexSpecsOf, type ListRows } from "./index_specs.ts"
export { LedgerState, type LedgerOptions } from "./ledger_state.ts"
export { facetNumber } from "./list_facets.ts"
export type { History } from "./_history.ts"
