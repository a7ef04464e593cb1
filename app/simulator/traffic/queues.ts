import {
  l1TransactionType,
  type L1UserFeed,
  type New,
  type Transaction
} from "../../../core/domain/mod.ts"
import type { BlockDraft, Context, Queue, World } from "../world/mod.ts"
import { l1Requests } from "./l1_traffic.ts"

/**
 * Adds the L1 transactions of users and coordinators to the queues. The queue that is forged next is
 * closed: the contract closes it when it forges the queue before. A full queue is followed by a new
 * one. If `isSplitByBatch`, a batch of the block forges the first half of the transactions before
 * the others arrive.
 */
export function fillQueues(
  context: Context,
  world: World,
  draft: BlockDraft,
  isSplitByBatch: boolean
): void {
  const requests = l1Requests(context, world)
  const feeds: Array<L1UserFeed> = []
  for (const [order, request] of requests.entries()) {
    const closed = world.nextQueue + (isSplitByBatch && 2 * order >= requests.length - 1 ? 1 : 0)
    const last = world.queues.at(-1)
    const open = last !== undefined && last.number > closed
      ? last
      : { number: closed + 1, transactions: [] }
    const queue = open.transactions.length < context.settings.queueSize
      ? open
      : { number: open.number + 1, transactions: [] }
    const feed = {
      ...request,
      toForgeL1TransactionsNum: queue.number,
      position: queue.transactions.length
    }
    const filled = {
      number: queue.number,
      transactions: [...queue.transactions, rowOf(feed, world)]
    }
    if (last?.number === queue.number) world.queues[world.queues.length - 1] = filled
    else world.queues.push(filled)
    feeds.push(feed)
  }
  if (feeds.length > 0) draft.l1UserTransactions = feeds
}

/** Removes and returns the next queue, which may be empty. */
export function takeQueue(world: World): Queue {
  const number = world.nextQueue++
  const transactions = world.queues.find((queue) => queue.number === number)?.transactions ?? []
  world.queues = world.queues.filter((queue) => queue.number > number)
  return { number, transactions }
}

/**
 * Returns the transaction as the ledger stores it, with the fields that the state transition reads.
 */
function rowOf(feed: L1UserFeed, { block }: World): New<Transaction> {
  const {
    amount,
    depositAmount,
    fromAccountIndex,
    position,
    toAccountIndex,
    toForgeL1TransactionsNum,
    tokenId
  } = feed
  return {
    id: `queue ${toForgeL1TransactionsNum}, position ${position}`,
    type: l1TransactionType(fromAccountIndex, toAccountIndex, depositAmount),
    position,
    fromAccountIndex,
    fromAddress: feed.fromAddress,
    fromPublicKey: feed.fromPublicKey,
    toAccountIndex,
    toAddress: null,
    toPublicKey: null,
    tokenId,
    amount,
    batchNum: null,
    historicUSD: null,
    timestampMs: block.timestampMs,
    l1: {
      toForgeL1TransactionsNum,
      userOrigin: true,
      depositAmount,
      amountSuccess: false,
      depositAmountSuccess: false,
      historicDepositAmountUSD: null,
      ethereumBlockNum: block.number,
      ethereumTxHash: null,
      l1Fee: null
    },
    l2: null
  }
}
