export { agreesWith } from "./agreement.ts"
export { answerLaws, type ReadSubject } from "./answer_laws.ts"
export { type Facts, keptRecords } from "./facts.ts"
export * as generators from "./generators.ts"
export * as inputGenerators from "./input_generators.ts"
export { type Law, LawViolation } from "./law.ts"
export { ledgerLaws } from "./ledger_laws.ts"
export {
  isAskedFor,
  missingThings,
  naiveItem,
  naiveNetworkState,
  naivePage
} from "./naive_answers.ts"
export { replay } from "./naive_model.ts"
export { pagingLaws } from "./paging_laws.ts"
export * as poolNetwork from "./pool_chain.ts"
export { poolLaws } from "./pool_laws.ts"
export { poolStoreLaws } from "./pool_store_laws.ts"
export type { OpenPool, PoolSubject } from "./pool_subject.ts"
export { readSubject } from "./read_subject.ts"
export { applyAll, type LedgerSubject, type OpenLedger } from "./subject.ts"
