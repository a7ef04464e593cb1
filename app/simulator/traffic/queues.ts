import {
  l1TransactionType,
  type L1UserFeed,
  type New,
  protocol,
  type Transaction
} from "../../../core/domain/mod.ts"
import type { BlockDraft, World } from "../world/mod.ts"
import type { L1Request } from "./l1_traffic.ts"

/** Contracts close a queue at this size. */
export const queueSizeMax = protocol.maxL1UserTx

/** How queues fill in a block. */
export interface QueueFillOptions {
  readonly queueSize: number
  /** Whether the second half arrives after a batch of the block, when the first half can be forged already. */
  readonly isSplitByBatch: boolean
}

/**
 * Puts transactions into the queues: never into the one that is forged next, since the contract closed it when it forged the one
 * before, and into another one where one is full.
 */
export function fillQueues(
  world: World,
  draft: BlockDraft,
  requests: ReadonlyArray<L1Request>,
  { isSplitByBatch: aroundBatch, queueSize }: QueueFillOptions
): void {
  const feeds: Array<L1UserFeed> = []
  for (const [order, request] of requests.entries()) {
    const closed = world.nextQueue + (aroundBatch && 2 * order >= requests.length - 1 ? 1 : 0)
    const last = world.queues.at(-1)
    const open = last !== undefined && last.number > closed
      ? last
      : { number: closed + 1, transactions: [] }
    const queue = open.transactions.length < queueSize
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

/** Takes the next queue out to be forged: what it holds, often nothing. */
export function takeQueue(
  world: World
): { readonly number: number; readonly transactions: ReadonlyArray<New<Transaction>> } {
  const number = world.nextQueue++
  const transactions = world.queues.find((queue) => queue.number === number)?.transactions ?? []
  world.queues = world.queues.filter((queue) => queue.number > number)
  return { number, transactions }
}

/** As the ledger will hold it, as far as the state transition asks. */
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
      ethereumBlockNum: block.number
    },
    l2: null
  }
}
