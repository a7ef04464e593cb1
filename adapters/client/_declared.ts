/* Written from the declarations of the contract by `npm run generate`: do not edit. */

/**
 * The path of each operation of any revision; lists have an items property, posts and puts have a
 * body.
 */
export const operations = {
  getAccountCreationAuthorization: { path: "/account-creation-authorization/{zkEthereumAddress}" },
  getAccounts: { path: "/accounts", itemsProperty: "accounts" },
  getAccount: { path: "/accounts/{accountIndex}" },
  getExits: { path: "/exits", itemsProperty: "exits" },
  getExit: { path: "/exits/{batchNum}/{accountIndex}" },
  getPoolTx: { path: "/transactions-pool/{id}" },
  getHistoryTxs: { path: "/transactions-history", itemsProperty: "transactions" },
  getHistoryTx: { path: "/transactions-history/{id}" },
  getBatches: { path: "/batches", itemsProperty: "batches" },
  getBatch: { path: "/batches/{batchNum}" },
  getFullBatch: { path: "/full-batches/{batchNum}" },
  getSlots: { path: "/slots", itemsProperty: "slots" },
  getSlot: { path: "/slots/{slotNum}" },
  getBids: { path: "/bids", itemsProperty: "bids" },
  getState: { path: "/state" },
  getConfig: { path: "/config" },
  getTokens: { path: "/tokens", itemsProperty: "tokens" },
  getToken: { path: "/tokens/{id}" },
  getCoordinators: { path: "/coordinators", itemsProperty: "coordinators" },
  getCoordinator: { path: "/coordinators/{bidderAddr}" },
  getPoolTxs: { path: "/transactions-pool", itemsProperty: "transactions" },
  getAtomicGroup: { path: "/atomic-pool/{id}" },
  getHealth: { path: "/health" },
  getCurrencies: { path: "/currencies" },
  getCurrency: { path: "/currencies/{symbol}" },
  postRegister: { path: "/account-creation-authorization", posts: true },
  postTx: { path: "/transactions-pool", posts: true },
  putTx: { path: "/transactions-pool/{id}", puts: true },
  putTxOfNonce: { path: "/transactions-pool/accounts/{accountIndex}/nonces/{nonce}", puts: true },
  postAtomicGroup: { path: "/atomic-pool", posts: true }
} as const

/** Integers that a double may not represent: they become bigint. */
export const wideNames: ReadonlySet<string> = new Set(
  "blockStamp blockWithdrawalRate delayedWithdraw delayedWithdrawRequest delayedWithdrawn emergencyModeStartingBlock ethereumBlock ethereumBlockNum firstBlock fromBlock genesisBlockNum initialMinimalBidding instantWithdraw instantWithdrawn lastBlock lastEthereumBlock lastSynchedBlock limitDepositAmount limitL2TransferAmount maxWithdrawals nonce requestNonce toBlock withdrawals".split(" ")
)

/** The names of all problems; the `type` of a problem is `urn:rollup-node-api:problem:` and this name. */
export type ProblemName =
  | "invalid-input"
  | "conflict"
  | "unknown-revision"
  | "revision-conflict"
  | "malformed-request"
  | "not-found"
  | "not-registered"
  | "unknown-path"
  | "method-not-allowed"
  | "request-timeout"
  | "body-too-large"
  | "url-too-long"
  | "unsupported-media-type"
  | "rate-limited"
  | "headers-too-large"
  | "internal"
  | "pool-full"
  | "busy"
  | "overloaded"
  | "unavailable"
