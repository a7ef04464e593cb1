/** The selection of the transactions of the next batch. */
export type { AccountToCreate } from "./_staged_selection.ts"
export type { SelectedReceiver } from "./_try_apply.ts"
export * from "./select.ts"
