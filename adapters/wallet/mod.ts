/** A wallet for browsers and every other place with `fetch`: keys, transactions, withdrawals. */
export type { BuildOptions, WalletAccount } from "./account.ts"
export { floorAmount, unitsOf } from "./amount.ts"
export { connect, type ConnectOptions, NoAccount, type Rollup } from "./connection.ts"
export type { SignedGroup } from "./group.ts"
export {
  type AccessSignature,
  InvalidKey,
  type Wallet,
  walletFromEthereumKey,
  walletFromSeed,
  walletFromSignature
} from "./keys.ts"
export type { WaitOptions } from "./_requests.ts"
export { InvalidTransaction, type TransactionRequest } from "./request.ts"
export { type ForgedTransaction, NotForged, type SentTransaction } from "./transaction.ts"
export { InvalidExit, type WithdrawData } from "./withdrawal.ts"
export { accessMessage, authorizationTypedData } from "../crypto/mod.ts"
export { RequestFailed } from "../client/mod.ts"
