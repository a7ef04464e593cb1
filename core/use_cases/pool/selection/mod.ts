/** The selection of the transactions of the next batch. */
export type { AccountToCreate } from "./_selection_overlay.ts"
export type { SelectedReceiver } from "./_try_apply.ts"
export {
  type SelectedTransaction,
  selectFrom,
  type Selection,
  type SelectOptions
} from "./select.ts"
