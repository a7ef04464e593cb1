export { personOf, signed } from "./accounts.ts"
export { blockOn, drawBlock, priceOf } from "./chain.ts"
export { Timeline } from "./timeline.ts"
export {
  authorizationBody,
  destinationOf,
  drawAuthorization,
  drawTransaction,
  transactionBody,
  wrongSignature
} from "./wallets.ts"
