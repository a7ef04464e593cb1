/** The state of the ledger: its tables with their indexes, and the undo logs for rollbacks. */
export type { History } from "./_history.ts"
export { frozenCopy } from "./_frozen.ts"
export * from "./ledger_image.ts"
export * from "./ledger_state.ts"
export * from "./list_index_keys.ts"
