/** The state of the ledger: its tables with their indexes, and the undo logs for rollbacks. */
export * from "./_assert_changes.ts"
export * from "./_history.ts"
export * from "./_rows.ts"
export * from "./index_specs.ts"
export * from "./ledger_image.ts"
export * from "./ledger_state.ts"
export * from "./list_facets.ts"
