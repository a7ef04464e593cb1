import type { AccountIndex, TransactionId } from "../encoding/mod.ts"
import type { Account } from "./account.ts"
import type { Batch } from "./batch.ts"
import type { Bid, Coordinator } from "./auction.ts"
import type { Exit } from "./exit.ts"
import type { NetworkVariables } from "./parameters.ts"
import type { PriceFeed } from "./feed.ts"
import type { Token } from "./token.ts"
import type { L1Part, Transaction } from "./transaction.ts"

/** A row before its store numbers it. */
export type New<Row> = Omit<Row, "itemId">

/** An Ethereum block as the ledger remembers it. */
export interface EthereumBlock {
  readonly number: bigint
  readonly hash: string
  readonly timestampMs: number
}

/** What one batch adds, each list in the order in which it is numbered. */
export interface BatchChanges {
  readonly batch: New<Batch>
  readonly accounts: ReadonlyArray<New<Account>>
  /** Nonce and balance after the batch, one entry for each account it touched, ascending by index. */
  readonly accountUpdates: ReadonlyArray<
    { readonly index: AccountIndex; readonly nonce: bigint; readonly balance: bigint }
  >
  /** The whole queue that is forged now, by position: its transactions are numbered anew, before `transactions`. */
  readonly forged: ReadonlyArray<{
    readonly id: TransactionId
    /** The created account where the transaction creates one; a rollback of the batch makes it null again. */
    readonly fromAccountIndex: AccountIndex
    /** The sender's account may have been created after the transaction was queued. */
    readonly fromPublicKey: Transaction["fromPublicKey"]
    readonly toAddress: Transaction["toAddress"]
    readonly toPublicKey: Transaction["toPublicKey"]
    readonly amountSuccess: L1Part["amountSuccess"]
    readonly depositAmountSuccess: L1Part["depositAmountSuccess"]
  }>
  /** Coordinator L1, then L2. */
  readonly transactions: ReadonlyArray<New<Transaction>>
  readonly exits: ReadonlyArray<New<Exit>>
}

/**
 * What one block adds: a store writes it as it is, all or nothing, and decides nothing. Parts refer to the ones before them
 * in this order: coordinators, tokens, prices, queued, batches, bids, variables, withdrawals.
 */
export interface BlockChanges {
  readonly block: EthereumBlock
  /** Never below what the ledger knew. */
  readonly lastEthereumBlock: bigint
  readonly prices: ReadonlyArray<PriceFeed>
  readonly coordinators: ReadonlyArray<New<Coordinator>>
  readonly bids: ReadonlyArray<New<Bid>>
  readonly tokens: ReadonlyArray<New<Token>>
  readonly batches: ReadonlyArray<BatchChanges>
  /** L1 user transactions that entered a queue in this block, also those that a batch of this block forges. */
  readonly queued: ReadonlyArray<New<Transaction>>
  /** The sets that changed; the others stay. */
  readonly variables: Partial<NetworkVariables>
  /** Exits whose withdrawal fields take this block's number. */
  readonly withdrawals: ReadonlyArray<{
    readonly batchNum: number
    readonly accountIndex: AccountIndex
    readonly field: "instantWithdrawn" | "delayedWithdrawRequest" | "delayedWithdrawn"
  }>
}
