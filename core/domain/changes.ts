import type { AccountIndex } from "../encoding/mod.ts"
import type { Account, Batch, Transaction } from "./history.ts"
import type { Bid, Coordinator } from "./slot.ts"
import type { Exit, WithdrawalField } from "./exit.ts"
import type { NetworkVariables } from "./parameters.ts"
import type { PriceFeed } from "./feed.ts"
import type { Token } from "./token.ts"

/** A row without `itemId`, which its store assigns. */
export type New<Row> = Omit<Row, "itemId">

/** Identifies an Ethereum block on its chain. */
export interface BlockReference {
  readonly number: bigint
  readonly hash: string
}

/** An Ethereum block as the ledger stores it. */
export interface EthereumBlock extends BlockReference {
  readonly timestampMs: number
}

/** The changes of one batch, each list in the order of item ids. */
export interface BatchChanges {
  readonly batch: New<Batch>
  /**
   * The accounts that the batch changed or created, as they are after it, ascending by index. The
   * created ones have the next indexes, so they are the last.
   */
  readonly accounts: ReadonlyArray<New<Account>>
  /** By position: those of the forged queue as they are after it, coordinator L1, then L2. */
  readonly transactions: ReadonlyArray<New<Transaction>>
  readonly exits: ReadonlyArray<New<Exit>>
}

/**
 * The changes of one block. A store writes them unchanged, in one transaction. Parts refer to the
 * ones before them in this order: coordinators, tokens, prices, queued, batches, bids, variables,
 * withdrawals.
 */
export interface BlockChanges {
  readonly block: EthereumBlock
  /** The new value, at least the previous one. */
  readonly lastEthereumBlock: bigint
  readonly prices: ReadonlyArray<PriceFeed>
  readonly coordinators: ReadonlyArray<New<Coordinator>>
  readonly bids: ReadonlyArray<New<Bid>>
  readonly tokens: ReadonlyArray<New<Token>>
  readonly batches: ReadonlyArray<BatchChanges>
  /**
   * L1 user transactions that entered a queue in this block, including those that a batch of this
   * block forges.
   */
  readonly queued: ReadonlyArray<New<Transaction>>
  /** The changed parameter sets. */
  readonly variables: Partial<NetworkVariables>
  /** Exits with a withdrawal field that is set to the number of this block. */
  readonly withdrawals: ReadonlyArray<{
    readonly batchNum: number
    readonly accountIndex: AccountIndex
    readonly field: WithdrawalField
  }>
}
