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
  l1UserTransactions: number
  /** Time between the blocks that queued and that forged these. */
  l1WaitMs: bigint
}

/** A block, and the last and next ids after it. */
export interface BlockRow {
  readonly block: EthereumBlock
  /** The number of the block stored before it, if that is not the one directly below. */
  readonly previousAfterGap: bigint | null
  readonly lastEthereumBlock: bigint
  readonly lastBatchNum: number
  readonly lastAccountIndex: AccountIndex
  readonly lastTokenId: TokenId
  /** L1 user transactions that were queued up to the block. */
  readonly totalQueued: number
  readonly next: Readonly<NextItems>
}

/** A batch, its ranges of items, and the accounts that it changed, as they were before it. */
export interface BatchRow {
  readonly batch: Batch
  /** Item ids from the first inclusive to the second exclusive. */
  readonly transactions: readonly [from: number, to: number]
  readonly exits: readonly [from: number, to: number]
  readonly totals: Readonly<Totals>
  readonly lastForgedQueue: number | null
  readonly accountsBefore: ReadonlyArray<Account>
}

export interface PriceChange {
  readonly blockNum: bigint
  /** Position among the price changes of the block, from 0. */
  readonly position: number
  readonly before: Token
}

export interface ParameterSet {
  readonly kind: ParameterKind
  readonly blockNum: bigint
  readonly set: NetworkVariables[ParameterKind]
}

/** The fields of an exit by their number in the column `withdrawal.field`. */
export const withdrawalFields = [
  "instantWithdrawn",
  "delayedWithdrawRequest",
  "delayedWithdrawn"
] as const

export interface Withdrawal {
  readonly blockNum: bigint
  readonly exitItem: number
  /** Index in `withdrawalFields`. */
  readonly field: number
}

/**
 * Collects the rows that the blocks of one write add or change. Rows that later blocks of the write
 * can change (balances, prices, withdrawals) are collected by their key only: each is written once,
 * in the state after the last block.
 */
export class RowsToWrite {
  readonly blocks: Array<BlockRow> = []
  readonly coordinators: Array<Coordinator> = []
  readonly tokens: Array<TokenId> = []
  readonly pricedTokens = new Set<TokenId>()
  readonly priceChanges: Array<PriceChange> = []
  readonly queued = new Map<number, Transaction>()
  /** Item ids of the queued transactions that were forged, in `queued` or stored before. */
  readonly forgedItems = new Set<number>()
  readonly batches: Array<BatchRow> = []
  readonly accounts: Array<AccountIndex> = []
  readonly updatedAccounts = new Set<AccountIndex>()
  readonly transactions: Array<Transaction> = []
  /** In the state after their batch. */
  readonly exits: Array<Exit> = []
  /** In the state before the write, by item id. */
  readonly withdrawnExits = new Map<number, Exit>()
  readonly withdrawals: Array<Withdrawal> = []
  readonly bids: Array<Bid> = []
  /** The bidder with the best bid of a slot before the write; null if it had none. */
  readonly biddersBefore = new Map<number, EthereumAddress | null>()
  readonly parameterSets: Array<ParameterSet> = []
}
