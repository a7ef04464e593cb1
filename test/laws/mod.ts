export {
  agreesWith,
  answerLaws,
  applyAll,
  historyLaws,
  type HistorySubject,
  ledgerLaws,
  type LedgerSubject,
  type OpenHistory,
  type OpenLedger,
  pagingLaws,
  readSubject,
  type ReadSubject
} from "./ledger/mod.ts"
export { effectiveRecords, type Facts } from "./facts.ts"
export { withEmptyBlocks, withGaps } from "./gaps.ts"
/**
 * Generators of networks, values, filters and queries.
 *
 * @example
 * ```ts
 * import { Arbitrary, Effect } from "effect"
 * import { generators } from "rollup-node-api/testing"
 *
 * const percents = Arbitrary.sampleEffect(generators.integer(0, 100), { count: 50, seed: 7 })
 * const sample = await Effect.runPromise(percents)
 * console.log(sample.length, sample.every((percent) => percent >= 0 && percent <= 100)) // => 50 true
 * ```
 */
export * as generators from "./generators.ts"
/**
 * Generators of requests as clients write them, valid and invalid.
 *
 * @example
 * ```ts
 * import { Arbitrary, Effect } from "effect"
 * import { inputGenerators } from "rollup-node-api/testing"
 *
 * const texts = Arbitrary.sampleEffect(inputGenerators.arbitraryText, { count: 20, seed: 7 })
 * console.log((await Effect.runPromise(texts)).every((text) => typeof text === "string")) // => true
 * ```
 */
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
