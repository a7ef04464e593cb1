import { type AccountOwner, type PoolTransaction, unfinishedStates } from "../../domain/mod.ts"
import type { FilterValues, ListDeclaration } from "./filter.ts"
import type { ListName, ListQuery } from "./list.ts"
import { sideExclusions, sideFilters } from "./side_filters.ts"

/** A transaction of the pool with the owners of its accounts when it was posted. */
export interface PoolRow {
  readonly transaction: PoolTransaction
  readonly sender: AccountOwner
  /** Null if the transaction pays no account. */
  readonly receiver: AccountOwner | null
}

const sendingAccount = ({ transaction }: PoolRow) => transaction.fromAccountIndex
const receivingAccount = ({ transaction }: PoolRow) => transaction.toAccountIndex
const sendingAddress = ({ sender }: PoolRow) => sender.address
const receivingAddress = ({ receiver, transaction }: PoolRow) =>
  transaction.toAddress ?? receiver?.address ?? null
const sendingKey = ({ sender }: PoolRow) => sender.publicKey
const receivingKey = ({ receiver, transaction }: PoolRow) =>
  transaction.toPublicKey ?? receiver?.publicKey ?? null

const filters = {
  state: {
    scalar: "poolState",
    match: "equal",
    compared: [({ transaction }) => transaction.state],
    parameter: "state",
    doc: "Only transactions in this state; without it, only those that are pending or forging"
  },
  onlyUnfinished: {
    scalar: "boolean",
    match: "flag",
    compared: [({ transaction }) => unfinishedStates.includes(transaction.state)],
    parameter: "onlyUnfinished",
    doc: "If true, only transactions that are pending or forging"
  },
  type: {
    scalar: "poolTransactionType",
    match: "equal",
    compared: [({ transaction }) => transaction.type],
    parameter: "type",
    doc: "Only transactions of this type"
  },
  tokenId: {
    scalar: "tokenId",
    match: "equal",
    compared: [({ transaction }) => transaction.tokenId],
    parameter: "tokenId",
    doc: "Only transactions of this token"
  },
  accountIndex: {
    ...sideFilters.accountIndex,
    compared: [sendingAccount, receivingAccount],
    doc: "Only transactions of this account, as sender or receiver"
  },
  fromAccountIndex: {
    ...sideFilters.fromAccountIndex,
    compared: [sendingAccount],
    doc: "Only transactions that this account sends"
  },
  toAccountIndex: {
    ...sideFilters.toAccountIndex,
    compared: [receivingAccount],
    doc: "Only transactions that this account receives; 1 for exits"
  },
  address: {
    ...sideFilters.address,
    compared: [sendingAddress, receivingAddress],
    doc:
      "Only transactions of accounts that this Ethereum address owns, as sender or receiver. Not the address of all F, which every internal account has"
  },
  fromAddress: {
    ...sideFilters.fromAddress,
    compared: [sendingAddress],
    doc:
      "Only transactions that an account of this Ethereum address sends. Not the address of all F, which every internal account has"
  },
  toAddress: {
    ...sideFilters.toAddress,
    compared: [receivingAddress],
    doc:
      "Only transactions to this Ethereum address or to one of its accounts. Not the address of all F, which every internal account has"
  },
  publicKey: {
    ...sideFilters.publicKey,
    compared: [sendingKey, receivingKey],
    doc: "Only transactions of accounts of this BabyJubJub key, as sender or receiver"
  },
  fromPublicKey: {
    ...sideFilters.fromPublicKey,
    compared: [sendingKey],
    doc: "Only transactions that an account of this BabyJubJub key sends"
  },
  toPublicKey: {
    ...sideFilters.toPublicKey,
    compared: [receivingKey],
    doc: "Only transactions to this BabyJubJub key or to one of its accounts"
  }
} as const satisfies ListDeclaration<PoolRow>["filters"]

/** The list of the pool. `parameter` is the name in the default network. */
export const poolList = {
  itemsProperty: "transactions",
  title: "PoolTransactions",
  order: "order of arrival in the pool",
  filters,
  exclusions: [...sideExclusions, ["state", "onlyUnfinished"]]
} as const satisfies ListDeclaration<PoolRow>

/** The filters of the list of the pool, each absent or a domain value. */
export type PoolListFilters = FilterValues<typeof poolList>

/** One page of the list of the pool. `fromItem` is inclusive and need not exist. */
export interface PoolListQuery extends Omit<ListQuery<ListName>, "filters"> {
  readonly filters: PoolListFilters
}
