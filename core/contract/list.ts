import type { ScalarName, ScalarValues } from "./scalars/mod.ts"
import { sideExclusions } from "./side_filters.ts"

/** How a filter compares its value with an item. */
export type Match =
  /**
   * The item's value equals it; if an item has several values (sender and receiver), one of them.
   */
  | "equal"
  /** The item's value is in the set. */
  | "oneOf"
  /** The item's text contains it, literally and with the same case. */
  | "contains"
  | "greaterThan"
  | "lessThan"
  | "atLeast"
  | "atMost"
  /** `true` selects items with the property; `false` selects all items. */
  | "flag"
  /** `true` adds items with the property, which the list leaves out otherwise. */
  | "adding"

/** One filter of a list. */
export interface Filter<S extends ScalarName = ScalarName> {
  readonly scalar: S
  readonly match: Match
  /** Name of the parameter in the default network; a revision may rename it. */
  readonly parameter: string
  readonly doc: string
  /** The value refers to an item: if it was never registered, the answer is 404. */
  readonly references?: "token" | "account" | "batch"
}

/** One list of the contract. Adapters, documentation and tests all interpret this declaration. */
export interface ListDeclaration {
  /** Property of the answer with the items. */
  readonly itemsProperty: string
  readonly title: string
  /** The meaning of ascending `itemId` in this list. */
  readonly order: string
  readonly filters: { readonly [name: string]: Filter }
  /** Pairs of filters that exclude each other. */
  readonly exclusions: ReadonlyArray<readonly [string, string]>
  /** Groups of filters of which at least one is required, unless a revision lifts the rule. */
  readonly atLeastOne: ReadonlyArray<ReadonlyArray<string>>
  /** Pairs of bounds: the first must not exceed the second. */
  readonly ordered: ReadonlyArray<readonly [string, string]>
  /** False if every answer has all items that match, without paging and counts; true by default. */
  readonly isPaged?: boolean
}

const filter = <S extends ScalarName>(
  scalar: S,
  match: Match,
  parameter: string,
  doc: string,
  references?: Filter["references"]
): Filter<S> => ({
  scalar,
  match,
  parameter,
  doc,
  ...(references === undefined ? {} : { references })
})

const tokenId = filter("tokenId", "equal", "tokenId", "Only items of this token", "token")
const address = filter(
  "prefixedAddress",
  "equal",
  "zkEthereumAddress",
  "Only items of accounts that this Ethereum address owns, as sender or receiver"
)
const publicKey = filter(
  "publicKey",
  "equal",
  "BJJ",
  "Only items of accounts of this BabyJubJub key, as sender or receiver"
)
const accountIndex = filter(
  "accountIndex",
  "equal",
  "accountIndex",
  "Only items of this account, as sender or receiver",
  "account"
)
const batchNum = filter("batchNum", "equal", "batchNum", "Only items of this batch", "batch")
const slotNum = filter("slotNum", "equal", "slotNum", "Only items of this slot")

/** An account excludes the filters that it implies; address and key exclude each other. */
const ownership = [
  ["accountIndex", "tokenId"],
  ["accountIndex", "address"],
  ["accountIndex", "publicKey"],
  ["address", "publicKey"]
] as const

/**
 * The eight lists. Filters have domain names; `parameter` is the name in the `later` revision.
 *
 * @example
 * ```ts
 * import { lists } from "rollup-node-api"
 *
 * const { exclusions, filters } = lists.accounts
 * console.log(...Object.keys(filters)) // => address publicKey tokenIds
 * console.log(...exclusions) // => [ 'address', 'publicKey' ]
 * ```
 */
export const lists = {
  accounts: {
    itemsProperty: "accounts",
    title: "Accounts",
    order: "account index",
    filters: {
      address: filter(
        "prefixedAddress",
        "equal",
        "zkEthereumAddress",
        "Only accounts that this Ethereum address owns"
      ),
      publicKey: filter("publicKey", "equal", "BJJ", "Only accounts of this BabyJubJub key"),
      tokenIds: filter(
        "tokenIds",
        "oneOf",
        "tokenIds",
        "Only accounts of these tokens: token identifiers separated by commas",
        "token"
      )
    },
    exclusions: [["address", "publicKey"]],
    atLeastOne: [],
    ordered: []
  },
  exits: {
    itemsProperty: "exits",
    title: "Exits",
    order: "batch number, then account index",
    filters: {
      accountIndex,
      address,
      publicKey,
      tokenId,
      batchNum,
      onlyPendingWithdraws: filter(
        "boolean",
        "flag",
        "onlyPendingWithdraws",
        "If true, only exits that were neither withdrawn instantly nor collected from the delayer"
      )
    },
    exclusions: ownership,
    atLeastOne: [],
    ordered: []
  },
  transactions: {
    itemsProperty: "transactions",
    title: "HistoryTransactions",
    order: "batch number, then position",
    filters: {
      accountIndex,
      address,
      publicKey,
      tokenId,
      batchNum,
      type: filter("transactionType", "equal", "type", "Only transactions of this type"),
      fromAccountIndex: filter(
        "accountIndex",
        "equal",
        "fromAccountIndex",
        "Only transactions that this account sends",
        "account"
      ),
      toAccountIndex: filter(
        "accountIndex",
        "equal",
        "toAccountIndex",
        "Only transactions that this account receives",
        "account"
      ),
      fromAddress: filter(
        "prefixedAddress",
        "equal",
        "fromZkEthereumAddress",
        "Only transactions that an account of this Ethereum address sends"
      ),
      toAddress: filter(
        "prefixedAddress",
        "equal",
        "toZkEthereumAddress",
        "Only transactions that an account of this Ethereum address receives"
      ),
      fromPublicKey: filter(
        "publicKey",
        "equal",
        "fromBJJ",
        "Only transactions that an account of this BabyJubJub key sends"
      ),
      toPublicKey: filter(
        "publicKey",
        "equal",
        "toBJJ",
        "Only transactions that an account of this BabyJubJub key receives"
      ),
      includePending: filter(
        "boolean",
        "adding",
        "includePendingL1s",
        "If true, also L1 user transactions that wait in a queue"
      )
    },
    exclusions: [
      ...sideExclusions,
      ["accountIndex", "tokenId"],
      ["fromAccountIndex", "tokenId"],
      ["toAccountIndex", "tokenId"]
    ],
    atLeastOne: [],
    ordered: []
  },
  batches: {
    itemsProperty: "batches",
    title: "Batches",
    order: "batch number",
    filters: {
      minBatchNum: filter(
        "batchNum",
        "greaterThan",
        "minBatchNum",
        "Only batches with a greater number"
      ),
      maxBatchNum: filter(
        "batchNum",
        "lessThan",
        "maxBatchNum",
        "Only batches with a smaller number"
      ),
      slotNum: filter("slotNum", "equal", "slotNum", "Only batches forged in this slot"),
      forgerAddr: filter(
        "ethereumAddress",
        "equal",
        "forgerAddr",
        "Only batches forged by this address"
      )
    },
    exclusions: [],
    atLeastOne: [],
    ordered: []
  },
  slots: {
    itemsProperty: "slots",
    title: "Slots",
    order: "slot number",
    filters: {
      minSlotNum: filter("slotNum", "atLeast", "minSlotNum", "First slot; 0 by default"),
      maxSlotNum: filter(
        "slotNum",
        "atMost",
        "maxSlotNum",
        "Last slot; by default the last one whose auction is open"
      ),
      wonByBidder: filter(
        "ethereumAddress",
        "equal",
        "wonByEthereumAddress",
        "Only slots whose auction is closed and was won by a bid of this bidder"
      ),
      wonByForger: filter(
        "ethereumAddress",
        "equal",
        "wonByEthereumAddress",
        "Only slots whose auction is closed and was won by a bidder that is registered with this forger"
      ),
      bestBidder: filter(
        "ethereumAddress",
        "equal",
        "wonByEthereumAddress",
        "Only slots whose best bid so far is of this bidder: also if the auction is open, or if the bid is below the minimum and does not win"
      ),
      finishedAuction: filter(
        "boolean",
        "flag",
        "finishedAuction",
        "If true, only slots whose auction is closed"
      )
    },
    exclusions: [
      ["wonByBidder", "wonByForger"],
      ["wonByBidder", "bestBidder"],
      ["wonByForger", "bestBidder"]
    ],
    atLeastOne: [],
    ordered: [["minSlotNum", "maxSlotNum"]]
  },
  bids: {
    itemsProperty: "bids",
    title: "Bids",
    order: "time of the bid; within a slot, also its value",
    filters: {
      slotNum,
      bidderAddr: filter("ethereumAddress", "equal", "bidderAddr", "Only bids of this bidder"),
      forgerAddr: filter(
        "ethereumAddress",
        "equal",
        "forgerAddr",
        "Only bids of bidders that are registered with this forger"
      )
    },
    exclusions: [],
    atLeastOne: [["slotNum", "bidderAddr"]],
    ordered: []
  },
  tokens: {
    itemsProperty: "tokens",
    title: "Tokens",
    order: "token identifier",
    filters: {
      ids: filter(
        "tokenIds",
        "oneOf",
        "ids",
        "Only these tokens: token identifiers separated by commas",
        "token"
      ),
      symbols: filter(
        "tokenSymbols",
        "oneOf",
        "symbols",
        "Only tokens with these symbols, separated by commas"
      ),
      name: filter(
        "text",
        "contains",
        "name",
        "Only tokens whose name contains this text, with the same case"
      ),
      addresses: filter(
        "ethereumAddresses",
        "oneOf",
        "addresses",
        "Only tokens with these contract addresses, separated by commas"
      )
    },
    exclusions: [],
    atLeastOne: [],
    ordered: []
  },
  coordinators: {
    itemsProperty: "coordinators",
    title: "Coordinators",
    order: "block of the registration, then forger address",
    filters: {
      bidderAddr: filter(
        "ethereumAddress",
        "equal",
        "bidderAddr",
        "Only the latest registration of this bidder"
      ),
      forgerAddr: filter(
        "ethereumAddress",
        "equal",
        "forgerAddr",
        "Only the latest registrations of bidders, of those that name this forger"
      ),
      onlyLatest: filter(
        "boolean",
        "flag",
        "onlyLatest",
        "If true, only the latest registration of each bidder"
      )
    },
    exclusions: [],
    atLeastOne: [],
    ordered: []
  }
} as const satisfies { readonly [name: string]: ListDeclaration }

export type ListName = keyof typeof lists
/**
 * The names of the eight lists.
 *
 * @example
 * ```ts
 * import { listNames } from "rollup-node-api"
 *
 * console.log(...listNames.slice(0, 3)) // => accounts exits transactions
 * ```
 */
export const listNames = Object.keys(lists) as ReadonlyArray<ListName>

/** The filters of a list, each absent or a domain value. */
export type FiltersOf<N extends ListName> = {
  readonly [F in keyof typeof lists[N]["filters"]]?: typeof lists[N]["filters"][F] extends
    Filter<infer S> ? ScalarValues[S] : never
}

/** The maximum page size, in items. */
export const limitMax = 2049
/** The page size if a request names none, in items. */
export const limitDefault = 20
/** The greatest `fromItem`, an `itemId`. */
export const fromItemMax = 4294967295

/** One page of a list. `fromItem` is inclusive and need not exist. */
export interface ListQuery<N extends ListName> {
  readonly filters: FiltersOf<N>
  readonly fromItem?: number
  readonly order?: "ASC" | "DESC"
  /** 1..2049, 20 by default. */
  readonly limit?: number
}
