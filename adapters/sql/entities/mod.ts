/** How the rows of the tables are stored: one declaration of each, keyed by the fields of the row. */
export {
  bid,
  coordinator,
  type PriceChange,
  priceChange,
  registration,
  token,
  versionedToken,
  type Withdrawal,
  withdrawal,
  withdrawalFields
} from "./auction.ts"
export {
  batch,
  type BatchRow,
  batchRow,
  type BlockRow,
  blockRow,
  ethereumBlock,
  type ItemRange,
  type LedgerRow,
  ledgerRow,
  type NextItems,
  nextItems,
  noTotals,
  rollBackRow,
  type Totals,
  totals
} from "./blocks.ts"
export {
  hash,
  hexOf,
  integer,
  nullable,
  plainText,
  plainTexts,
  prefixedHexOf,
  text,
  uint32,
  uint64
} from "./column_types.ts"
export {
  account,
  exit,
  oneLayer,
  queuedTransaction,
  storedQueuedTransaction,
  transaction
} from "./history.ts"
export {
  decodeParameterSet,
  type ParameterKind,
  parameterKinds,
  type ParameterSet,
  parameterSet,
  parameterSetRow
} from "./parameter_sets.ts"
export {
  type OrderedPooled,
  orderedPooled,
  pooled,
  poolTransaction,
  type Skip,
  skip,
  storedPooled
} from "./pool.ts"
export { queryOf, type RowQuery, selectRows } from "./row_query.ts"
export { createTable } from "./create_table.ts"
export { computed, from, part, pick, selectList, type Shape, shape } from "./shape.ts"
