/** The pool's port: one transaction for each change. */
export { openPool } from "./pool.ts"
export { type PoolTransactionRow, transactionColumns, transactionOf } from "./pool_rows.ts"
export { hexOf } from "./pool_values.ts"
