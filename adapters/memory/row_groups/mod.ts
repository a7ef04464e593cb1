/** Long lists whose older rows are stored in columns, outside of the heap of objects. */
export * from "./account_updates.ts"
export * from "./grouped_rows.ts"
export * from "./transaction_rows.ts"
export * from "./transaction_columns.ts"
