/** The ledger's read port: one statement for each answer. */
export {
  bidLine,
  coordinatorLine,
  readBid,
  readCoordinator,
  readToken,
  tokenLine
} from "./auction_rows.ts"
export {
  accountLine,
  batchLine,
  exitLine,
  readAccount,
  readBatch,
  readExit,
  readTransaction,
  transactionLine
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
