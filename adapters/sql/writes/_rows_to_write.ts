import type { Bid, Coordinator, Exit, TokenId, Transaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import type { BatchRow, BlockRow, ParameterSet, PriceChange, Withdrawal } from "../entities/mod.ts"

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
