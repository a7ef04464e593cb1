export {
  agreesWith,
  answerLaws,
  applyAll,
  ledgerLaws,
  type LedgerSubject,
  type OpenLedger,
  pagingLaws,
  readSubject,
  type ReadSubject
} from "./ledger/mod.ts"
export { effectiveRecords, type Facts } from "./facts.ts"
export * as generators from "./generators.ts"
export * as inputGenerators from "./input_generators.ts"
export { type Law, LawViolation } from "./law.ts"
export {
  matchesFilters,
  naiveItem,
  naiveNetworkState,
  naivePage,
  replay,
  unknownReferences
} from "./naive/mod.ts"
export {
  type OpenPool,
  poolLaws,
  poolNetwork,
  poolStoreLaws,
  type PoolSubject
} from "./pool/mod.ts"
