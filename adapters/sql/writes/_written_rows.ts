import type {
  Account,
  Batch,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  NetworkVariables,
  Token,
  TokenId,
  Transaction
} from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import type { ParameterKind } from "../reads/mod.ts"

/** The next item id of each list. */
export interface NextItems {
  account: number
  exit: number
  transaction: number
  batch: number
  bid: number
  token: number
  coordinator: number
}

/** Sums over all batches. */
export interface Totals {
  transactions: number
  l2Transactions: number
  feeUnits: bigint
  accounts: number
  publicKeys: number
}

/** A block, and how far everything reached when it had been written. */
export interface BlockRow {
  readonly block: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly lastBatchNum: number
  readonly lastAccountIndex: AccountIndex
  readonly lastTokenId: TokenId
  readonly next: Readonly<NextItems>
}

/** A batch, its stretches of items, and the balances and nonces that it overwrote. */
export interface BatchRow {
  readonly batch: Batch
  readonly transactions: readonly [from: number, to: number]
  readonly exits: readonly [from: number, to: number]
  readonly totals: Readonly<Totals>
  readonly lastForgedQueue: number | null
  readonly overwritten: ReadonlyArray<Account>
}

export interface PriceChange {
  readonly blockNum: bigint
  readonly place: number
  readonly before: Token
}

export interface ParameterSet {
  readonly kind: ParameterKind
  readonly blockNum: bigint
  readonly set: NetworkVariables[ParameterKind]
}

/** The places that `withdrawal.field` counts. */
export const withdrawalFields = [
  "instantWithdrawn",
  "delayedWithdrawRequest",
  "delayedWithdrawn"
] as const

export interface Withdrawal {
  readonly blockNum: bigint
  readonly exitItem: number
  readonly field: number
}

/**
 * What the blocks of one write added. Of what can change afterwards (balances, prices, withdrawals) it names the row only: a row is
 * written once, as the last block leaves it.
 */
export class WrittenRows {
  readonly blocks: Array<BlockRow> = []
  readonly coordinators: Array<Coordinator> = []
  readonly tokens: Array<TokenId> = []
  readonly pricedTokens = new Set<TokenId>()
  readonly priceChanges: Array<PriceChange> = []
  readonly queued = new Map<number, Transaction>()
  /** Those of `queued` that are forged already, and those that waited before, by item id. */
  readonly forged = new Set<number>()
  readonly batches: Array<BatchRow> = []
  readonly accounts: Array<AccountIndex> = []
  readonly updatedAccounts = new Set<AccountIndex>()
  readonly transactions: Array<Transaction> = []
  /** As their batch left them. */
  readonly exits: Array<Exit> = []
  /** As they were before. */
  readonly withdrawnExits = new Map<number, Exit>()
  readonly withdrawals: Array<Withdrawal> = []
  readonly bids: Array<Bid> = []
  /** Who held the best bid of a slot before. */
  readonly bidSlots = new Map<number, EthereumAddress | null>()
  readonly parameterSets: Array<ParameterSet> = []
}
