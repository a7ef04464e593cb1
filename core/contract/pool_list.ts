import type { Filter, ListDeclaration } from "./list.ts"
import type { ScalarName, ScalarValues } from "./scalars/mod.ts"
import { sideExclusions } from "./side_filters.ts"

const filter = <S extends ScalarName>(scalar: S, parameter: string, doc: string): Filter<S> => ({
  scalar,
  match: "equal",
  parameter,
  doc
})

const filters = {
  state: filter(
    "poolState",
    "state",
    "Only transactions in this state; without it, only those that are pending or forging"
  ),
  onlyUnfinished: {
    scalar: "boolean",
    match: "flag",
    parameter: "onlyUnfinished",
    doc: "If true, only transactions that are pending or forging"
  },
  type: filter("poolTransactionType", "type", "Only transactions of this type"),
  tokenId: filter("tokenId", "tokenId", "Only transactions of this token"),
  accountIndex: filter(
    "accountIndex",
    "accountIndex",
    "Only transactions of this account, as sender or receiver"
  ),
  fromAccountIndex: filter(
    "accountIndex",
    "fromAccountIndex",
    "Only transactions that this account sends"
  ),
  toAccountIndex: filter(
    "accountIndex",
    "toAccountIndex",
    "Only transactions that this account receives; 1 for exits"
  ),
  address: filter(
    "prefixedAddress",
    "zkEthereumAddress",
    "Only transactions of accounts that this Ethereum address owns, as sender or receiver. Not the address of all F, which every internal account has"
  ),
  fromAddress: filter(
    "prefixedAddress",
    "fromZkEthereumAddress",
    "Only transactions that an account of this Ethereum address sends. Not the address of all F, which every internal account has"
  ),
  toAddress: filter(
    "prefixedAddress",
    "toZkEthereumAddress",
    "Only transactions to this Ethereum address or to one of its accounts. Not the address of all F, which every internal account has"
  ),
  publicKey: filter(
    "publicKey",
    "BJJ",
    "Only transactions of accounts of this BabyJubJub key, as sender or receiver"
  ),
  fromPublicKey: filter(
    "publicKey",
    "fromBJJ",
    "Only transactions that an account of this BabyJubJub key sends"
  ),
  toPublicKey: filter(
    "publicKey",
    "toBJJ",
    "Only transactions to this BabyJubJub key or to one of its accounts"
  )
} as const

/** The list of the pool. `parameter` is the name in the default network. */
export const poolList = {
  itemsProperty: "transactions",
  title: "PoolTransactions",
  order: "order of arrival in the pool",
  filters,
  exclusions: [...sideExclusions, ["state", "onlyUnfinished"]],
  atLeastOne: [],
  ordered: []
} satisfies ListDeclaration

/** The filters of the list of the pool, each absent or a domain value. */
export type PoolListFilters = {
  readonly [F in keyof typeof filters]?: typeof filters[F] extends Filter<infer S> ? ScalarValues[S]
    : never
}

/** One page of the list of the pool. `fromItem` is inclusive and need not exist. */
export interface PoolListQuery {
  readonly filters: PoolListFilters
  readonly fromItem?: number
  readonly order?: "ASC" | "DESC"
  /** 1..2049, 20 by default. */
  readonly limit?: number
}
