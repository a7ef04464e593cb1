import {
  type Account,
  type BatchChanges,
  type Bid,
  type BlockChanges,
  type Coordinator,
  feeSumUnits,
  type HeadFeed,
  type NetworkVariables,
  type New,
  type PriceFeed,
  type Token,
  type Transaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  FIRST_USER_ACCOUNT,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import { type LedgerPart, partsOfBlock, stampBlocks } from "../../../core/ports/mod.ts"
import {
  type NextItems,
  parameterKinds,
  parameterSetRow,
  type Totals,
  withdrawalFields
} from "../entities/mod.ts"
import { LedgerCopy } from "./_ledger_copy.ts"
import type { OverlayStart } from "./_load_overlay.ts"
import { RowsToWrite } from "./_rows_to_write.ts"

const assert = (holds: boolean, violation: () => string): void => {
  if (!holds) throw new Error(`Cannot store the block: ${violation()}`)
}

/**
 * Applies the changes of each block to a copy of the ledger, so that the next decision sees the
 * result, and collects the rows to write. It throws if changes violate an invariant of the tables,
 * which is a defect of the caller, and must not be used afterwards.
 */
export class WriteOverlay extends LedgerCopy {
  readonly rows = new RowsToWrite()
  readonly changedParts = new Set<LedgerPart>()
  readonly next: NextItems
  readonly #totals: Totals
  readonly #publicKeys: Set<PublicKey>
  #nextPricePosition: number

  constructor(start: OverlayStart) {
    super(start)
    this.next = { ...start.next }
    this.#totals = { ...start.totals }
    this.#publicKeys = new Set(start.publicKeys)
    this.#nextPricePosition = start.nextPricePosition
  }

  /** Applies the changes of a block, in the order of the references between its parts. */
  apply(changes: BlockChanges): void {
    const { number } = changes.block
    assert(
      number > this.lastBlock.number,
      () => `block ${number} does not come after block ${this.lastBlock.number}`
    )
    for (const coordinator of changes.coordinators) this.#register(coordinator)
    for (const token of changes.tokens) this.#addToken(token)
    this.#nextPricePosition = 0
    for (const price of changes.prices) this.#setPrice(price, number)
    for (const row of changes.queued) this.#enqueue(row)
    for (const batch of changes.batches) this.#addBatch(batch)
    for (const bid of changes.bids) this.#addBid(bid)
    this.#changeVariables(changes.variables, number)
    for (const withdrawal of changes.withdrawals) this.#withdraw(withdrawal, number)
    for (const part of partsOfBlock(changes)) this.changedParts.add(part)
    const { number: previous } = this.lastBlock
    this.lastBlock = changes.block
    this.lastEthereumBlock = changes.lastEthereumBlock
    this.blocks.set(number, changes.block)
    this.stamp = {
      ...stampBlocks(number, this.head),
      batchNum: this.stamp.batchNum,
      version: this.stamp.version + 1 + changes.batches.length
    }
    this.rows.blocks.push({
      block: changes.block,
      previousAfterGap: number === previous + 1n ? null : previous,
      lastEthereumBlock: changes.lastEthereumBlock,
      lastBatchNum: this.lastBatchNum,
      lastAccountIndex: this.lastAccountIndex,
      lastTokenId: this.lastTokenId,
      totalQueued: this.start.totalQueued + this.rows.queued.size,
      next: { ...this.next }
    })
  }

  /** Applies prices to the last block. */
  setPrices(prices: ReadonlyArray<PriceFeed>): void {
    for (const price of prices) this.#setPrice(price, this.lastBlock.number)
    if (prices.length > 0) this.changedParts.add("tokens")
    this.stamp = { ...this.stamp, version: this.stamp.version + 1 }
  }

  /** Replaces the head. */
  setHead(head: HeadFeed): void {
    this.head = head
    this.changedParts.add("head")
    const { batchNum, version } = this.stamp
    this.stamp = { ...stampBlocks(this.lastBlock.number, head), batchNum, version: version + 1 }
  }

  #setPrice({ priceUSD, timeMs, tokenId }: PriceFeed, blockNum: bigint): void {
    const before = this.token(tokenId)
    assert(before !== undefined, () => `token ${tokenId} has a price and is not registered`)
    this.rows.priceChanges.push({
      blockNum,
      position: this.#nextPricePosition++,
      tokenId,
      priceUSDBefore: before!.priceUSD,
      priceTimeMsBefore: before!.priceTimeMs
    })
    this.rows.pricedTokens.add(tokenId)
    this.tokens.set(tokenId, {
      ...before!,
      priceUSD,
      priceTimeMs: priceUSD === null ? null : timeMs
    })
  }

  #register(registration: New<Coordinator>): void {
    const coordinator = { itemId: this.next.coordinator++, ...registration }
    this.rows.coordinators.push(coordinator)
    this.registrations.set(coordinator.bidderAddr, coordinator)
  }

  #addToken(token: New<Token>): void {
    assert(token.id === this.lastTokenId + 1, () => `token ${token.id} is not the next one`)
    this.lastTokenId = token.id
    this.rows.tokens.push(token.id)
    this.tokens.set(token.id, { itemId: this.next.token++, ...token })
    this.tokenIds.set(token.ethereumAddress, token.id)
  }

  #enqueue(row: New<Transaction>): void {
    const queue = row.l1?.toForgeL1TransactionsNum ?? null
    assert(queue !== null && row.batchNum === null, () => `transaction ${row.id} is not queued`)
    const rows = this.queueOf(queue!)
    assert(
      row.position > (rows.at(-1)?.position ?? -1),
      () => `transaction ${row.id} is not the last one of its queue`
    )
    const queued = { itemId: this.next.transaction++, ...row }
    rows.push(queued)
    this.rows.queued.set(queued.itemId, queued)
    this.lastOpenQueue = Math.max(queue!, this.lastOpenQueue ?? 0)
  }

  #addBatch(changes: BatchChanges): void {
    const { next, rows } = this
    const { batchNum, forgeL1TransactionsNum: queue } = changes.batch
    assert(batchNum === this.lastBatchNum + 1, () => `batch ${batchNum} is not the next one`)
    const [firstTransaction, firstExit, lastAccountBefore] = [
      next.transaction,
      next.exit,
      this.lastAccountIndex
    ]
    for (const account of changes.accounts) this.#addAccount(account)
    const before = changes.accountUpdates.flatMap((update) =>
      this.#updateAccount(update, lastAccountBefore)
    )
    const changed = [...before, ...changes.accounts].map(({ index }) => this.accounts.get(index)!)
    if (queue !== null) this.#forge(queue, changes)
    for (const row of changes.transactions) {
      assert(
        row.batchNum === batchNum,
        () => `transaction ${row.id} is not one of batch ${batchNum}`
      )
      rows.transactions.push({ itemId: next.transaction++, ...row })
      if (row.l2 !== null) this.#totals.l2Transactions++
    }
    for (const exit of changes.exits) {
      const row = { itemId: next.exit++, ...exit }
      rows.exits.push(row)
      this.setExit(row)
    }
    this.#totals.transactions += next.transaction - firstTransaction
    this.#totals.feeUnits += feeSumUnits(changes.batch.historicTotalCollectedFeesUSD)
    this.#totals.accounts = this.lastAccountIndex - FIRST_USER_ACCOUNT + 1
    this.stamp = { ...this.stamp, batchNum }
    rows.batches.push({
      batch: { itemId: next.batch++, ...changes.batch },
      transactions: { from: firstTransaction, to: next.transaction },
      exits: { from: firstExit, to: next.exit },
      totals: { ...this.#totals },
      lastForgedQueue: this.lastForgedQueue,
      changedAccounts: changed.map(({ index }) => index),
      noncesBefore: before.map(({ nonce }) => nonce),
      balancesBefore: before.map(({ balance }) => balance),
      nonces: changed.map(({ nonce }) => nonce),
      balances: changed.map(({ balance }) => balance)
    })
  }

  #addAccount(account: New<Account>): void {
    const { index, publicKey } = account
    assert(index === this.lastAccountIndex + 1, () => `account ${index} is not the next one`)
    this.lastAccountIndex = index
    this.rows.accounts.push(index)
    this.accounts.set(index, { itemId: this.next.account++, ...account })
    if (!this.#publicKeys.has(publicKey)) {
      this.#publicKeys.add(publicKey)
      this.#totals.publicKeys++
    }
  }

  /**
   * Updates an account and returns it as it was before, for a rollback to restore; returns [] for
   * an account that the same batch created, since the rollback deletes it.
   */
  #updateAccount(
    { balance, index, nonce }: BatchChanges["accountUpdates"][number],
    lastAccountBefore: AccountIndex
  ): ReadonlyArray<Account> {
    const before = this.accounts.get(index)
    assert(before !== undefined, () => `account ${index} is updated and does not exist`)
    this.accounts.set(index, { ...before!, nonce, balance })
    if (index <= this.start.lastAccountIndex) this.rows.updatedAccounts.add(index)
    return index <= lastAccountBefore ? [before!] : []
  }

  #forge(queue: number, { batch, forged }: BatchChanges): void {
    const rows = this.queue(queue)
    assert(
      forged.length === rows.length && rows.every(({ id }, i) => forged[i]!.id === id),
      () =>
        `queue ${queue} holds ${rows.length} transactions, which differ from the ${forged.length} that its batch forges`
    )
    for (const [position, queued] of rows.entries()) {
      const { amountSuccess, depositAmountSuccess, ...accounts } = forged[position]!
      this.rows.forgedItems.add(queued.itemId)
      this.#totals.l1UserTransactions++
      this.#totals.l1WaitMs += BigInt(batch.timestampMs - queued.timestampMs)
      this.rows.transactions.push({
        ...queued,
        ...accounts,
        itemId: this.next.transaction++,
        batchNum: batch.batchNum,
        l1: queued.l1 && { ...queued.l1, amountSuccess, depositAmountSuccess }
      })
    }
    this.queues.delete(queue)
    // queues are forged in order, so no lower one has transactions
    if (this.lastOpenQueue !== null && queue >= this.lastOpenQueue) this.lastOpenQueue = null
    this.lastForgedQueue = Math.max(queue, this.lastForgedQueue ?? queue)
  }

  #addBid(newBid: New<Bid>): void {
    const { bidderAddr, slotNum } = newBid
    assert(
      this.registration(bidderAddr) !== undefined,
      () => `bidder ${bidderAddr} is not registered`
    )
    const bid = { itemId: this.next.bid++, ...newBid }
    if (!this.rows.biddersBefore.has(slotNum)) {
      this.rows.biddersBefore.set(slotNum, this.bestBid(slotNum)?.bidderAddr ?? null)
    }
    this.rows.bids.push(bid)
    this.bestBids.set(slotNum, bid)
  }

  #changeVariables(changed: Partial<NetworkVariables>, blockNum: bigint): void {
    for (const kind of parameterKinds) {
      const set = changed[kind]
      if (set === undefined) continue
      this.rows.parameterSets.push(parameterSetRow(kind, blockNum, set))
      this.setVariables({ [kind]: set })
    }
  }

  #withdraw(
    { accountIndex, batchNum, field }: BlockChanges["withdrawals"][number],
    blockNum: bigint
  ): void {
    const before = this.exit(batchNum, accountIndex)
    assert(
      before !== undefined,
      () => `exit of batch ${batchNum} and account ${accountIndex} is withdrawn and does not exist`
    )
    const { itemId } = before!
    if (itemId < this.start.next.exit && !this.rows.withdrawnExits.has(itemId)) {
      this.rows.withdrawnExits.set(itemId, before!)
    }
    this.rows.withdrawals.push({
      blockNum,
      exitItem: itemId,
      field: withdrawalFields.indexOf(field)
    })
    this.setExit({ ...before!, [field]: blockNum })
  }
}
