export { addAuctionEvents, forgerOf, planAbsence, winnerOf } from "./auction.ts"
export { coordinatorAccounts } from "./coordinator_accounts.ts"
export { changeVariables } from "./governance.ts"
export { l1Requests } from "./l1_traffic.ts"
export { planEmptyTransfer, planTransfers } from "./l2_traffic.ts"
export {
  authorizationsOf,
  type Replacement,
  signForNewcomer,
  signGroup,
  signPlanned,
  signReplacement,
  type SubmittedGroup
} from "./pool_signing.ts"
export { fillQueues, takeQueue } from "./queues.ts"
export { addTokens, addPrices, pricesBetween } from "./tokens.ts"
