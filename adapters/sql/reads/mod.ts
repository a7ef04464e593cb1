/** The ledger's read port: one statement for each answer. */
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
  readParameterSet,
  writeParameterSet
} from "./parameter_sets.ts"
export { preferReplica } from "./replica.ts"
export { trackVersions } from "./track_versions.ts"
