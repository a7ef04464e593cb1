import type { CurrencyPrice, NodeHealth } from "../domain/mod.ts"
import type { ItemKeys, ItemName, Shapes } from "./items.ts"
import type { ListName } from "./lists/mod.ts"
import type { ScalarName } from "./scalars/mod.ts"
import type { BodyName } from "./bodies/mod.ts"
import { currency, health } from "./shapes/mod.ts"
import type { Shape } from "./objects/mod.ts"

/** A parameter in the path. */
export interface PathParameter {
  readonly name: string
  readonly scalar: ScalarName
  readonly doc: string
}

interface Described {
  readonly path: string
  readonly tag: "Account" | "Transaction" | "Network status"
  readonly summary: string
  readonly parameters: ReadonlyArray<PathParameter>
  /** Declared statuses besides 200. */
  readonly statuses: ReadonlyArray<400 | 404 | 500>
}

interface OfKind<Kind extends string, ShapeOf> extends Described {
  readonly kind: Kind
  /** The name of an object of the revision, or an object that is the same in all revisions. */
  readonly shape: ShapeOf
}

export interface ListOperation extends OfKind<"list", keyof Shapes> {
  readonly list: ListName
}

export interface ItemOperation extends OfKind<"item", keyof Shapes> {
  readonly item: ItemName
  /** Returns the key of the item from the decoded path parameters, in order. */
  readonly key: (values: ReadonlyArray<never>) => ItemKeys[ItemName]
}

/** The list of the pool. */
interface PoolListOperation extends OfKind<"poolList", "poolTransaction"> {
  readonly list: "pool"
}

/** The list of the prices of currencies, which always is one page. */
interface CurrencyListOperation extends OfKind<"currencyList", Shape<CurrencyPrice>> {
  readonly list: "currencies"
}

/** The price of a currency. */
export type CurrencyOperation = OfKind<"currency", Shape<CurrencyPrice>>

/** Whether the node can answer: a status of 503 says that it cannot. */
type HealthOperation = OfKind<"health", Shape<NodeHealth>>

/** An operation whose answer is an object of the revision. */
export type RevisedOperation =
  | ListOperation
  | ItemOperation
  | PoolListOperation
  | OfKind<"state" | "config" | "poolTransaction" | "group" | "authorization", keyof Shapes>

export type Operation =
  | RevisedOperation
  | CurrencyListOperation
  | CurrencyOperation
  | HealthOperation

const list = (
  path: string,
  name: ListName,
  shape: keyof Shapes,
  tag: Described["tag"],
  summary: string
): ListOperation => ({
  kind: "list",
  path,
  list: name,
  shape,
  tag,
  summary,
  parameters: [],
  statuses: name === "coordinators" ? [400, 500] : [400, 404, 500]
})

const one = (values: ReadonlyArray<never>): ItemKeys[ItemName] => values[0]!
const item = (
  path: string,
  name: ItemName,
  tag: Described["tag"],
  summary: string,
  parameters: ReadonlyArray<PathParameter>,
  key: ItemOperation["key"] = one
): ItemOperation => ({
  kind: "item",
  path,
  item: name,
  shape: name,
  tag,
  summary,
  parameters,
  key,
  statuses: [400, 404, 500]
})

const accountIndex = { name: "accountIndex", scalar: "accountIndex", doc: "Account" } as const
const batchNum = { name: "batchNum", scalar: "batchNum", doc: "Batch number" } as const
const transactionId = {
  name: "id",
  scalar: "transactionId",
  doc: "Transaction identifier"
} as const
const ownerAddress = {
  name: "zkEthereumAddress",
  scalar: "prefixedAddress",
  doc: "Ethereum address"
} as const

/**
 * The read operations by identifier. Paths are those of the default network.
 *
 * @example
 * ```ts
 * import { operations } from "rollup-node-api"
 *
 * const { kind, path } = operations.getToken
 * console.log(kind, path) // => item /tokens/{id}
 * ```
 */
export const operations = {
  getAccountCreationAuthorization: {
    kind: "authorization",
    path: "/account-creation-authorization/{zkEthereumAddress}",
    shape: "authorization",
    tag: "Account",
    summary: "Authorization to create accounts for a key",
    parameters: [ownerAddress],
    statuses: [400, 404, 500]
  },
  getAccounts: list("/accounts", "accounts", "account", "Account", "Accounts with their balances"),
  getAccount: item("/accounts/{accountIndex}", "account", "Account", "An account", [
    accountIndex
  ]),
  getExits: list("/exits", "exits", "exit", "Account", "Exits with their withdrawal data"),
  getExit: item(
    "/exits/{batchNum}/{accountIndex}",
    "exit",
    "Account",
    "The exit of an account in a batch",
    [batchNum, accountIndex],
    ([batch, account]) => ({ batchNum: batch!, accountIndex: account! })
  ),
  getPoolTx: {
    kind: "poolTransaction",
    path: "/transactions-pool/{id}",
    shape: "poolTransaction",
    tag: "Transaction",
    summary: "Pool transaction of this node",
    parameters: [transactionId],
    statuses: [400, 404, 500]
  },
  getHistoryTxs: list(
    "/transactions-history",
    "transactions",
    "transaction",
    "Transaction",
    "Forged transactions"
  ),
  getHistoryTx: item(
    "/transactions-history/{id}",
    "transaction",
    "Transaction",
    "A forged transaction, or an L1 transaction in its queue",
    [transactionId]
  ),
  getBatches: list("/batches", "batches", "batch", "Network status", "Batches"),
  getBatch: item("/batches/{batchNum}", "batch", "Network status", "A batch", [batchNum]),
  getFullBatch: item(
    "/full-batches/{batchNum}",
    "fullBatch",
    "Network status",
    "A batch with all its transactions",
    [batchNum]
  ),
  getSlots: list("/slots", "slots", "slot", "Network status", "Slots, past and future"),
  getSlot: item("/slots/{slotNum}", "slot", "Network status", "A slot", [{
    name: "slotNum",
    scalar: "slotNum",
    doc: "Slot number"
  }]),
  getBids: list("/bids", "bids", "bid", "Network status", "Bids of the slot auctions"),
  getState: {
    kind: "state",
    path: "/state",
    shape: "state",
    tag: "Network status",
    summary: "Current state of the network, with metrics",
    parameters: [],
    statuses: [400, 500]
  },
  getConfig: {
    kind: "config",
    path: "/config",
    shape: "config",
    tag: "Network status",
    summary: "Constants of the network",
    parameters: [],
    statuses: [500]
  },
  getTokens: list("/tokens", "tokens", "token", "Network status", "Registered tokens"),
  getToken: item("/tokens/{id}", "token", "Network status", "A token", [{
    name: "id",
    scalar: "tokenId",
    doc: "Token identifier"
  }]),
  getCoordinators: list(
    "/coordinators",
    "coordinators",
    "coordinator",
    "Network status",
    "Registrations of coordinators"
  ),
  getCoordinator: item(
    "/coordinators/{bidderAddr}",
    "coordinator",
    "Network status",
    "The latest registration of a bidder",
    [{ name: "bidderAddr", scalar: "ethereumAddress", doc: "Address of the bidder" }]
  )
} as const satisfies { readonly [id: string]: Operation }

export type OperationId = keyof typeof operations

/** The read operations that only some revisions have: those that name them in `extras`. */
export const extraOperations = {
  getPoolTxs: {
    kind: "poolList",
    list: "pool",
    path: "/transactions-pool",
    shape: "poolTransaction",
    tag: "Transaction",
    summary: "Pool transactions of this node",
    parameters: [],
    statuses: [400, 500]
  },
  getAtomicGroup: {
    kind: "group",
    path: "/atomic-pool/{id}",
    shape: "poolTransaction",
    tag: "Transaction",
    summary: "Transactions of an atomic group of this node, in their order",
    parameters: [{ name: "id", scalar: "groupId", doc: "Identifier of the group" }],
    statuses: [400, 404, 500]
  },
  getHealth: {
    kind: "health",
    path: "/health",
    shape: health,
    tag: "Network status",
    summary: "Whether the stores of this node answer",
    parameters: [],
    statuses: [400, 500]
  },
  getCurrencies: {
    kind: "currencyList",
    list: "currencies",
    path: "/currencies",
    shape: currency,
    tag: "Network status",
    summary: "Prices of currencies",
    parameters: [],
    statuses: [400, 500]
  },
  getCurrency: {
    kind: "currency",
    path: "/currencies/{symbol}",
    shape: currency,
    tag: "Network status",
    summary: "The price of a currency",
    parameters: [{ name: "symbol", scalar: "currencyCode", doc: "Code of the currency" }],
    statuses: [400, 404, 500]
  }
} as const satisfies { readonly [id: string]: Operation }

export type ExtraOperationId = keyof typeof extraOperations
/** The identifier of a read operation of any revision. */
export type ReadOperationId = OperationId | ExtraOperationId

/** An operation that sends one body. */
export interface WriteOperation extends Pick<Operation, "path" | "tag" | "summary" | "parameters"> {
  readonly method: "POST" | "PUT"
  readonly body: BodyName
  /** Content of the answer with status 200: JSON of the identifiers, or an empty body. */
  readonly answer: "transactionId" | "transactionIds" | "nothing"
}

/** The write operations by identifier. They are idempotent: a repeated post gets the same answer. */
export const writeOperations = {
  postRegister: {
    method: "POST",
    path: "/account-creation-authorization",
    parameters: [],
    body: "authorization",
    answer: "nothing",
    tag: "Account",
    summary: "Submit an authorization to create accounts for a key"
  },
  postTx: {
    method: "POST",
    path: "/transactions-pool",
    parameters: [],
    body: "transaction",
    answer: "transactionId",
    tag: "Transaction",
    summary: "Submit a signed transaction"
  }
} as const satisfies { readonly [id: string]: WriteOperation }

export type WriteOperationId = keyof typeof writeOperations

/** The write operations that only some revisions have: those that name them in `extras`. */
export const extraWriteOperations = {
  putTx: {
    method: "PUT",
    path: "/transactions-pool/{id}",
    parameters: [transactionId],
    body: "replacement",
    answer: "transactionId",
    tag: "Transaction",
    summary: "Replace a pending or invalid transaction"
  },
  putTxOfNonce: {
    method: "PUT",
    path: "/transactions-pool/accounts/{accountIndex}/nonces/{nonce}",
    parameters: [accountIndex, { name: "nonce", scalar: "nonce", doc: "Nonce" }],
    body: "replacement",
    answer: "transactionId",
    tag: "Transaction",
    summary: "Replace the pending or invalid transaction of an account with a nonce"
  },
  postAtomicGroup: {
    method: "POST",
    path: "/atomic-pool",
    parameters: [],
    body: "group",
    answer: "transactionIds",
    tag: "Transaction",
    summary: "Submit transactions that are forged together or never"
  }
} as const satisfies { readonly [id: string]: WriteOperation }

export type ExtraWriteOperationId = keyof typeof extraWriteOperations
/** The identifier of a write operation of any revision. */
export type AnyWriteOperationId = WriteOperationId | ExtraWriteOperationId
