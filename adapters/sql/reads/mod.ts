/** The read port of the ledger over PostgreSQL: one statement for each answer. */
export {
  bidRowSql,
  coordinatorRowSql,
  decodeBid,
  decodeCoordinator,
  decodeToken,
  tokenRowSql
} from "./auction_rows.ts"
export {
  accountRowSql,
  batchRowSql,
  exitRowSql,
  decodeAccount,
  decodeBatch,
  decodeExit,
  decodeTransaction,
  transactionRowSql
} from "./history_rows.ts"
export { type LedgerReaderOptions, makeLedgerReader } from "./ledger_reader.ts"
export {
  type ParameterKind,
  parameterKinds,
  encodeParameterSet,
  decodeParameterSet
} from "./parameter_sets.ts"
export { isCopyOf, preferReplica } from "./replica.ts"
export type { OnVersion } from "./_run_query.ts"
