import type {
  Account,
  Batch,
  Bid,
  BlockReference,
  Coordinator,
  EthereumBlock,
  Exit,
  HeadFeed,
  NetworkVariables,
  Token,
  Transaction,
  WithdrawalField
} from "../../../core/domain/mod.ts"
import type {
  LedgerRollBack,
  LedgerTotals,
  NextItemIds,
  PartVersions
} from "../../../core/ports/mod.ts"
import type { AccountUpdate, AccountUpdateColumns, TransactionColumns } from "../row_groups/mod.ts"

/** A withdrawal that set a field of an exit. */
export interface StoredWithdrawal {
  /** That of the exit in its table. */
  readonly position: number
  readonly field: WithdrawalField
}

/** The totals after a batch, and the lengths of the other tables. */
export interface StoredBatch {
  readonly totals: LedgerTotals
  readonly accountUpdates: number
  readonly exits: number
  /** The greatest queue that was forged; null before the first one. */
  readonly lastForgedQueue: number | null
}

/** The price of a token before another one was set. */
export type ReplacedPrice = Pick<Token, "id" | "priceUSD" | "priceTimeMs">

/** A block, and the lengths of the tables before it. */
export interface StoredBlock {
  readonly block: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly batches: number
  readonly queued: number
  readonly tokens: number
  readonly prices: number
  readonly coordinators: number
  readonly bids: number
  readonly withdrawals: number
  readonly variables: number
}

/** The lists of a ledger, undo logs included. Their rows are plain data and never change. */
export interface LedgerLists {
  readonly blocks: ReadonlyArray<StoredBlock>
  /** The head, or none. */
  readonly heads: ReadonlyArray<HeadFeed>
  readonly rollBacks: ReadonlyArray<LedgerRollBack>
  /** The last block that no rollback can remove, or none. */
  readonly finalBlocks: ReadonlyArray<BlockReference>
  readonly batches: ReadonlyArray<Batch>
  /** By batch number; the first element is for batch 0. */
  readonly storedBatches: ReadonlyArray<StoredBatch>
  readonly transactionRowGroups: ReadonlyArray<TransactionColumns>
  readonly transactions: ReadonlyArray<Transaction>
  readonly accounts: ReadonlyArray<Account>
  readonly accountUpdateRowGroups: ReadonlyArray<AccountUpdateColumns>
  readonly accountUpdates: ReadonlyArray<AccountUpdate>
  readonly exits: ReadonlyArray<Exit>
  readonly withdrawals: ReadonlyArray<StoredWithdrawal>
  readonly enqueuedRowGroups: ReadonlyArray<TransactionColumns>
  readonly enqueued: ReadonlyArray<Transaction>
  readonly tokens: ReadonlyArray<Token>
  readonly replacedPrices: ReadonlyArray<ReplacedPrice>
  readonly coordinators: ReadonlyArray<Coordinator>
  readonly bids: ReadonlyArray<Bid>
  readonly variables: ReadonlyArray<NetworkVariables>
}

/**
 * The complete state of a ledger at one version. It shares the rows of the ledger, which never
 * change, so later writes do not change it.
 */
export interface LedgerImage {
  readonly version: number
  readonly parts: PartVersions
  /** Number of versions that heads added, which do not follow from the records. */
  readonly headVersions: number
  readonly nextItemIds: NextItemIds
  readonly lists: LedgerLists
}
