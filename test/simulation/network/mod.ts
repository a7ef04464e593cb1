export { personOf, signed } from "./accounts.ts"
export { blockOn, drawBlock, drawHead, priceOf } from "./chain.ts"
export { drawStripped } from "./derived.ts"
export { chainOccurrences, countOccurrences } from "./occurrences.ts"
export { Timeline } from "./timeline.ts"
export {
  authorizationBody,
  destinationOf,
  drawAuthorization,
  drawTransaction,
  transactionBody,
  wrongSignature
} from "./wallets.ts"
