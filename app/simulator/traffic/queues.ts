import type { L1UserFeed } from "../../../core/domain/mod.ts"
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
    const { number, transactions } = open.transactions.length < context.settings.queueSize
      ? open
      : { number: open.number + 1, transactions: [] }
    const position = transactions.length
    const row = { ...request, id: `queue ${number}, position ${position}`, l1: request }
    const filled = { number, transactions: [...transactions, row] }
    if (last?.number === number) world.queues[world.queues.length - 1] = filled
    else world.queues.push(filled)
    feeds.push({ ...request, toForgeL1TransactionsNum: number, position })
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
