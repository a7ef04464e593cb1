/** Long lists whose older rows are stored in columns, outside of the heap of objects. */
export {
  type AccountUpdate,
  accountUpdateCodec,
  type AccountUpdateColumns
} from "./account_updates.ts"
export { SegmentedRows } from "./segmented_rows.ts"
export { TransactionRows } from "./transaction_rows.ts"
export type { TransactionColumns } from "./transaction_columns.ts"
