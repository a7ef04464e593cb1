/** The selection of the transactions of the next batch. */
export * from "./_selection_overlay.ts"
export * from "./_try_apply.ts"
export * from "./select.ts"
