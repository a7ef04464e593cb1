import { type BidView, isPendingWithdraw } from "../../domain/mod.ts"
import { type AccountIndex, isUserAccount } from "../../encoding/mod.ts"
import type { FilterValues, ListDeclaration } from "./filter.ts"
import type { ListRows } from "../items.ts"
import { sideExclusions, sideFilters } from "./side_filters.ts"

const tokenId = {
  scalar: "tokenId",
  match: "equal",
  parameter: "tokenId",
  doc: "Only items of this token",
  references: "token"
} as const
const address = {
  ...sideFilters.address,
  doc: "Only items of accounts that this Ethereum address owns, as sender or receiver"
} as const
const publicKey = {
  ...sideFilters.publicKey,
  doc: "Only items of accounts of this BabyJubJub key, as sender or receiver"
} as const
const accountIndex = {
  ...sideFilters.accountIndex,
  doc: "Only items of this account, as sender or receiver",
  references: "account"
} as const
const batchNum = {
  scalar: "batchNum",
  match: "equal",
  parameter: "batchNum",
  doc: "Only items of this batch",
  references: "batch"
} as const
const slotNum = {
  scalar: "slotNum",
  match: "equal",
  parameter: "slotNum",
  doc: "Only items of this slot"
} as const

/** The reserved indexes are not accounts, so no filter finds transactions by them. */
const userAccountOrNull = (index: AccountIndex | null): AccountIndex | null =>
  index !== null && isUserAccount(index) ? index : null
type Transaction = ListRows["transactions"]
const sendingAccount = (row: Transaction) => userAccountOrNull(row.fromAccountIndex)
const receivingAccount = (row: Transaction) => userAccountOrNull(row.toAccountIndex)
const sendingAddress = (row: Transaction) => row.fromAddress
const receivingAddress = (row: Transaction) => row.toAddress
const sendingKey = (row: Transaction) => row.fromPublicKey
const receivingKey = (row: Transaction) => row.toPublicKey

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
      address: {
        ...sideFilters.address,
        compared: [({ address }) => address],
        doc: "Only accounts that this Ethereum address owns"
      },
      publicKey: {
        ...sideFilters.publicKey,
        compared: [({ publicKey }) => publicKey],
        doc: "Only accounts of this BabyJubJub key"
      },
      tokenIds: {
        scalar: "tokenIds",
        match: "oneOf",
        compared: [({ tokenId }) => tokenId],
        parameter: "tokenIds",
        doc: "Only accounts of these tokens: token identifiers separated by commas",
        references: "token"
      }
    },
    exclusions: [["address", "publicKey"]]
  },
  exits: {
    itemsProperty: "exits",
    title: "Exits",
    order: "batch number, then account index",
    filters: {
      accountIndex: { ...accountIndex, compared: [({ accountIndex }) => accountIndex] },
      address: { ...address, compared: [({ address }) => address] },
      publicKey: { ...publicKey, compared: [({ publicKey }) => publicKey] },
      tokenId: { ...tokenId, compared: [({ tokenId }) => tokenId] },
      batchNum: { ...batchNum, compared: [({ batchNum }) => batchNum] },
      onlyPendingWithdraws: {
        scalar: "boolean",
        match: "flag",
        compared: [isPendingWithdraw],
        parameter: "onlyPendingWithdraws",
        doc:
          "If true, only exits that were neither withdrawn instantly nor collected from the delayer"
      }
    },
    exclusions: ownership
  },
  transactions: {
    itemsProperty: "transactions",
    title: "HistoryTransactions",
    order: "batch number, then position",
    filters: {
      accountIndex: { ...accountIndex, compared: [sendingAccount, receivingAccount] },
      address: { ...address, compared: [sendingAddress, receivingAddress] },
      publicKey: { ...publicKey, compared: [sendingKey, receivingKey] },
      tokenId: { ...tokenId, compared: [({ tokenId }) => tokenId] },
      batchNum: { ...batchNum, compared: [({ batchNum }) => batchNum] },
      type: {
        scalar: "transactionType",
        match: "equal",
        compared: [({ type }) => type],
        parameter: "type",
        doc: "Only transactions of this type"
      },
      fromAccountIndex: {
        ...sideFilters.fromAccountIndex,
        compared: [sendingAccount],
        doc: "Only transactions that this account sends",
        references: "account"
      },
      toAccountIndex: {
        ...sideFilters.toAccountIndex,
        compared: [receivingAccount],
        doc: "Only transactions that this account receives",
        references: "account"
      },
      fromAddress: {
        ...sideFilters.fromAddress,
        compared: [sendingAddress],
        doc: "Only transactions that an account of this Ethereum address sends"
      },
      toAddress: {
        ...sideFilters.toAddress,
        compared: [receivingAddress],
        doc: "Only transactions that an account of this Ethereum address receives"
      },
      fromPublicKey: {
        ...sideFilters.fromPublicKey,
        compared: [sendingKey],
        doc: "Only transactions that an account of this BabyJubJub key sends"
      },
      toPublicKey: {
        ...sideFilters.toPublicKey,
        compared: [receivingKey],
        doc: "Only transactions that an account of this BabyJubJub key receives"
      },
      includePending: {
        scalar: "boolean",
        match: "adding",
        compared: [({ batchNum }) => batchNum === null],
        parameter: "includePendingL1s",
        doc: "If true, also L1 user transactions that wait in a queue"
      }
    },
    exclusions: [
      ...sideExclusions,
      ["accountIndex", "tokenId"],
      ["fromAccountIndex", "tokenId"],
      ["toAccountIndex", "tokenId"]
    ]
  },
  batches: {
    itemsProperty: "batches",
    title: "Batches",
    order: "batch number",
    filters: {
      minBatchNum: {
        scalar: "batchNum",
        match: "greaterThan",
        compared: [({ batchNum }) => batchNum],
        parameter: "minBatchNum",
        doc: "Only batches with a greater number"
      },
      maxBatchNum: {
        scalar: "batchNum",
        match: "lessThan",
        compared: [({ batchNum }) => batchNum],
        parameter: "maxBatchNum",
        doc: "Only batches with a smaller number"
      },
      slotNum: {
        scalar: "slotNum",
        match: "equal",
        compared: [({ slotNum }) => slotNum],
        parameter: "slotNum",
        doc: "Only batches forged in this slot"
      },
      forgerAddr: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ forgerAddr }) => forgerAddr],
        parameter: "forgerAddr",
        doc: "Only batches forged by this address"
      }
    },
    exclusions: []
  },
  slots: {
    itemsProperty: "slots",
    title: "Slots",
    order: "slot number",
    filters: {
      minSlotNum: {
        scalar: "slotNum",
        match: "atLeast",
        compared: [({ slotNum }) => slotNum],
        parameter: "minSlotNum",
        doc: "First slot; 0 by default"
      },
      maxSlotNum: {
        scalar: "slotNum",
        match: "atMost",
        compared: [({ slotNum }) => slotNum],
        parameter: "maxSlotNum",
        doc: "Last slot; by default the last one whose auction is open"
      },
      wonByBidder: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ winner }) => winner === null ? null : winner.bidderAddr],
        parameter: "wonByEthereumAddress",
        doc: "Only slots whose auction is closed and was won by a bid of this bidder"
      },
      wonByForger: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ winner }) => winner === null ? null : winner.forgerAddr],
        parameter: "wonByEthereumAddress",
        doc:
          "Only slots whose auction is closed and was won by a bidder that is registered with this forger"
      },
      bestBidder: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ bestBid }) => bestBid === null ? null : bestBid.bid.bidderAddr],
        parameter: "wonByEthereumAddress",
        doc:
          "Only slots whose best bid so far is of this bidder: also if the auction is open, or if the bid is below the minimum and does not win"
      },
      finishedAuction: {
        scalar: "boolean",
        match: "flag",
        compared: [({ closedAuction }) => closedAuction],
        parameter: "finishedAuction",
        doc: "If true, only slots whose auction is closed"
      }
    },
    exclusions: [
      ["wonByBidder", "wonByForger"],
      ["wonByBidder", "bestBidder"],
      ["wonByForger", "bestBidder"]
    ],
    ordered: [["minSlotNum", "maxSlotNum"]]
  },
  bids: {
    itemsProperty: "bids",
    title: "Bids",
    order: "time of the bid; within a slot, also its value",
    filters: {
      slotNum: { ...slotNum, compared: [({ bid }: Pick<BidView, "bid">) => bid.slotNum] },
      bidderAddr: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ bid }: Pick<BidView, "bid">) => bid.bidderAddr],
        parameter: "bidderAddr",
        doc: "Only bids of this bidder"
      },
      forgerAddr: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ coordinator }) => coordinator.forgerAddr],
        parameter: "forgerAddr",
        doc: "Only bids of bidders that are registered with this forger"
      }
    },
    exclusions: [],
    atLeastOne: [["slotNum", "bidderAddr"]]
  },
  tokens: {
    itemsProperty: "tokens",
    title: "Tokens",
    order: "token identifier",
    filters: {
      ids: {
        scalar: "tokenIds",
        match: "oneOf",
        compared: [({ id }) => id],
        parameter: "ids",
        doc: "Only these tokens: token identifiers separated by commas",
        references: "token"
      },
      symbols: {
        scalar: "tokenSymbols",
        match: "oneOf",
        compared: [({ symbol }) => symbol],
        parameter: "symbols",
        doc: "Only tokens with these symbols, separated by commas"
      },
      name: {
        scalar: "text",
        match: "contains",
        compared: [({ name }) => name],
        parameter: "name",
        doc: "Only tokens whose name contains this text, with the same case"
      },
      addresses: {
        scalar: "ethereumAddresses",
        match: "oneOf",
        compared: [({ ethereumAddress }) => ethereumAddress],
        parameter: "addresses",
        doc: "Only tokens with these contract addresses, separated by commas"
      }
    },
    exclusions: []
  },
  coordinators: {
    itemsProperty: "coordinators",
    title: "Coordinators",
    order: "block of the registration, then forger address",
    filters: {
      bidderAddr: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ coordinator }) => coordinator.bidderAddr],
        parameter: "bidderAddr",
        doc: "Only the latest registration of this bidder",
        implies: "onlyLatest"
      },
      forgerAddr: {
        scalar: "ethereumAddress",
        match: "equal",
        compared: [({ coordinator }) => coordinator.forgerAddr],
        parameter: "forgerAddr",
        doc: "Only the latest registrations of bidders, of those that name this forger",
        implies: "onlyLatest"
      },
      onlyLatest: {
        scalar: "boolean",
        match: "flag",
        compared: [({ isLatest }) => isLatest],
        parameter: "onlyLatest",
        doc: "If true, only the latest registration of each bidder"
      }
    },
    exclusions: []
  }
} as const satisfies { readonly [N in keyof ListRows]: ListDeclaration<ListRows[N]> }

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
export type FiltersOf<N extends ListName> = FilterValues<typeof lists[N]>

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
