/** What wallets post: its rules, its failures, and how it enters the pool. */
export { groupFaults } from "./_group_rules.ts"
export {
  type FeeBounds,
  ledgerFaults,
  postedFaults,
  type PostRules,
  type Refuse,
  refuseFor
} from "./_posted_rules.ts"
export type { Submitted } from "./_submission_context.ts"
export * from "./submission_failures.ts"
export * from "./submit.ts"
