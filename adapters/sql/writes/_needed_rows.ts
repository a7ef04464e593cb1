import type { BatchFeed, BlockFeed, PriceFeed, TokenId } from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  isUserAccount,
  NO_ACCOUNT,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import type { BulkWrite } from "./bulk_write.ts"

/** The keys of the rows that some writes refer to, without duplicates. */
export class NeededRows {
  readonly blocks: Array<bigint> = []
  readonly queues = new Set<number>()
  readonly accounts = new Set<AccountIndex>()
  readonly tokens = new Set<TokenId>()
  readonly tokenAddresses = new Set<EthereumAddress>()
  readonly bidders = new Set<EthereumAddress>()
  readonly slots = new Set<number>()
  /** Withdrawn exits. */
  readonly exits = new Map<string, readonly [batchNum: number, accountIndex: AccountIndex]>()
  /** Owners and tokens of the delayed withdrawals that are collected. */
  readonly requested = new Map<string, readonly [owner: EthereumAddress, tokenId: TokenId]>()
  /** Public keys for which the blocks may create accounts. */
  readonly publicKeys = new Set<PublicKey>()

  constructor(writes: ReadonlyArray<BulkWrite<unknown>>) {
    for (const write of writes) {
      if (write.kind === "block") this.#addBlock(write.block)
      if (write.kind === "prices") this.#addPrices(write.prices)
      if (write.kind === "rollBack") this.blocks.push(write.toBlock)
    }
  }

  addAccount(index: AccountIndex | null): void {
    if (index !== null && isUserAccount(index)) this.accounts.add(index)
  }

  #addPrices(prices: ReadonlyArray<PriceFeed>): void {
    for (const { tokenId } of prices) this.tokens.add(tokenId)
  }

  #addBlock(block: BlockFeed): void {
    this.blocks.push(block.number)
    this.#addPrices(block.prices ?? [])
    for (const { ethereumAddress } of block.tokens ?? []) this.tokenAddresses.add(ethereumAddress)
    for (const { bidderAddr, slotNum } of block.bids ?? []) {
      this.bidders.add(bidderAddr)
      this.slots.add(slotNum)
    }
    for (const transaction of block.l1UserTransactions ?? []) {
      this.queues.add(transaction.toForgeL1TransactionsNum)
      this.addAccount(transaction.fromAccountIndex)
      this.addAccount(transaction.toAccountIndex)
      this.tokens.add(transaction.tokenId)
      if (transaction.fromAccountIndex === NO_ACCOUNT && transaction.fromPublicKey !== null) {
        this.publicKeys.add(transaction.fromPublicKey)
      }
    }
    for (const batch of block.batches ?? []) this.#addBatch(batch)
    for (const { accountIndex, batchNum } of block.withdrawals ?? []) {
      this.exits.set(`${batchNum}:${accountIndex}`, [batchNum, accountIndex])
    }
    for (const { owner, tokenId } of block.delayedWithdrawals ?? []) {
      this.requested.set(`${owner}:${tokenId}`, [owner, tokenId])
    }
  }

  #addBatch(batch: BatchFeed): void {
    if (batch.forgeL1TransactionsNum !== null) this.queues.add(batch.forgeL1TransactionsNum)
    for (const { publicKey, tokenId } of batch.l1Coordinator) {
      this.tokens.add(tokenId)
      this.publicKeys.add(publicKey)
    }
    for (const index of batch.feeAccounts) this.addAccount(index)
    for (const { fromAccountIndex, toAccountIndex } of batch.l2) {
      this.addAccount(fromAccountIndex)
      this.addAccount(toAccountIndex)
    }
  }
}
