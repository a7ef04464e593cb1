import type { ListName } from "../contract/mod.ts"
import type {
  Account,
  Bid,
  BlockChanges,
  Coordinator,
  EthereumBlock,
  Exit,
  HeadFeed,
  NetworkVariables,
  Token,
  TokenId,
  Transaction
} from "../domain/mod.ts"
import type { AccountIndex } from "../encoding/mod.ts"
import type { AccountChange, LedgerBatch } from "./ledger_history.ts"
import type { LedgerPart, SnapshotId } from "./ledger_snapshot.ts"

/** The lists whose items have ids. Queued and forged transactions share theirs. */
export type NumberedList = Exclude<ListName, "slots">

/** The next item id of each list. It grows, and a rollback does not change it. */
export type NextItemIds = { readonly [N in NumberedList]: number }

/** The next item ids of a ledger with only its genesis block: ether has the first id. */
export const firstItemIds: NextItemIds = Object.freeze({
  accounts: 1,
  exits: 1,
  transactions: 1,
  batches: 1,
  bids: 1,
  tokens: 2,
  coordinators: 1
})

/** Sums over all batches up to one. */
export interface LedgerTotals {
  /** Forged transactions. */
  readonly transactions: number
  readonly l2Transactions: number
  /** Sum of `feeSumUnits`. */
  readonly feeUnits: bigint
  readonly accounts: number
  /** Different public keys of the accounts. */
  readonly publicKeys: number
  /** Forged L1 user transactions. */
  readonly l1UserTransactions: number
  /** Sum of the times between the blocks that queued and that forged these. */
  readonly l1WaitMs: bigint
}

/** The totals before the first batch. */
export const noTotals: LedgerTotals = Object.freeze({
  transactions: 0,
  l2Transactions: 0,
  feeUnits: 0n,
  accounts: 0,
  publicKeys: 0,
  l1UserTransactions: 0,
  l1WaitMs: 0n
})

/** The rows of an account before and after a batch that created or changed it. */
export interface PlacedAccount extends AccountChange {
  /** Null if the batch created the account. */
  readonly before: Account | null
  readonly after: Account
}

/** The rows that a batch adds and changes. */
export interface PlacedBatch extends LedgerBatch {
  /** Ascending by index: the updated accounts, then the created ones. */
  readonly accountChanges: ReadonlyArray<PlacedAccount>
  /** The queued transactions that it forged, by position, as they were in their queue. */
  readonly forged: ReadonlyArray<Transaction>
  /** Its transactions in the order of their item ids, beginning with those of `forged`. */
  readonly transactions: ReadonlyArray<Transaction>
  readonly exits: ReadonlyArray<Exit>
  /** The totals after it. */
  readonly totals: LedgerTotals
  /** The greatest queue that was forged so far; null if none was. */
  readonly lastForgedQueue: number | null
  /** The next item ids after it. */
  readonly next: NextItemIds
}

/** The row of a token before and after a price. */
export interface PlacedPrice {
  readonly before: Token
  readonly after: Token
}

/** The row of an exit before and after a withdrawal, and the field that the withdrawal set. */
export interface PlacedWithdrawal extends Pick<BlockChanges["withdrawals"][number], "field"> {
  readonly before: Exit
  readonly after: Exit
}

/**
 * A block with its place in the ledger: all rows that it adds and changes, with their item ids, and
 * the state after it. A store writes these rows unchanged. Each list is in the order of its item
 * ids, and its rows never change: a later block that changes a row makes another one.
 */
export interface PlacedBlock {
  readonly kind: "block"
  readonly block: EthereumBlock
  /** The stored block before it. */
  readonly previous: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly coordinators: ReadonlyArray<Coordinator>
  /** The registered tokens, before the prices of the block. */
  readonly tokens: ReadonlyArray<Token>
  /** In the order of the feed. */
  readonly prices: ReadonlyArray<PlacedPrice>
  /** As they enter their queue; a batch of the block may forge them. */
  readonly queued: ReadonlyArray<Transaction>
  readonly batches: ReadonlyArray<PlacedBatch>
  readonly bids: ReadonlyArray<Bid>
  /** The changed parameter sets. */
  readonly variables: Partial<NetworkVariables>
  /** In the order of the changes. */
  readonly withdrawals: ReadonlyArray<PlacedWithdrawal>
  readonly lastBatchNum: number
  readonly lastAccountIndex: AccountIndex
  readonly lastTokenId: TokenId
  /** L1 user transactions that were queued up to the block. */
  readonly totalQueued: number
  /** The next item ids after it. */
  readonly next: NextItemIds
  /** The parts of the ledger that it changes. */
  readonly parts: ReadonlyArray<LedgerPart>
  /** The snapshot id of the ledger after it. */
  readonly snapshotId: SnapshotId
}

/** Prices of the last block, in the order of the feed, and the snapshot id after them. */
export interface PlacedPrices extends Pick<PlacedBlock, "prices" | "parts" | "snapshotId"> {
  readonly kind: "prices"
}

/** A head, and the snapshot id after it. */
export interface PlacedHead extends Pick<PlacedBlock, "parts" | "snapshotId"> {
  readonly kind: "head"
  readonly head: HeadFeed
}
