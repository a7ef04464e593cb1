import type { L1UserFeed } from "../../../core/domain/mod.ts"
import { EXIT_ACCOUNT, INTERNAL_ADDRESS, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
import {
  type BlockDraft,
  type Context,
  depositAmount,
  floorAmount,
  type Queue,
  randomShare,
  type World
} from "../world/mod.ts"
import {
  creatingSender,
  creationOf,
  depositInto,
  depositRequest,
  type L1Request,
  requestBetween,
  type RequestKinds
} from "./_l1_requests.ts"
import { FAILING } from "./_failing_requests.ts"

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

/** Returns the L1 transactions that users and coordinators send in a block. */
function l1Requests(context: Context, world: World): ReadonlyArray<L1Request> {
  const { schedule, random, settings } = context
  const requests = [...arrivals(context, world)]
  if (world.accounts.length <= 20) return requests
  requests.push(...validRequests(random.integer(1, 3), context, world))
  for (const [event, kinds] of FAILING) {
    if (schedule.takeDue(event)) requests.push(...random.oneOf(kinds)(context, world))
  }
  // more requests than a queue holds
  if (schedule.takeDue("queueBurst")) {
    requests.push(...validRequests(settings.queueSize + random.integer(1, 9), context, world))
  }
  return requests
}

const validRequests = (count: number, context: Context, world: World): ReadonlyArray<L1Request> =>
  Array.from({ length: count }, () => context.random.oneOf(VALID)(context, world)).flat()

/** Returns how many users arrive per block, until the configured number is reached. */
const arrivalsPerBlock = (users: number): number =>
  Math.min(100, Math.max(4, Math.ceil(users / 20)))

function* arrivals(context: Context, world: World): Iterable<L1Request> {
  const { schedule, wallets, random, settings } = context
  if (world.lastBatchNum === 0 && world.users === 0) yield* firstAccounts(context, world)
  const missing = settings.users - world.users
  const count = missing > 0
    ? Math.min(missing, arrivalsPerBlock(settings.users))
    : schedule.takeDue("latecomer")
    ? 1
    : 0
  for (let arrived = 0; arrived < count; arrived++) {
    const wallet = wallets.user(world.users++)
    // coordinators create the accounts of internal users
    if (wallet.address === INTERNAL_ADDRESS) continue
    for (let count = random.oneOf([1, 1, 1, 2, 3]); count > 0; count--) {
      // ether and the first tokens have the most accounts
      const tokenId = random.skewed(world.tokens.length)
      yield creationOf(wallet, tokenId, depositInto(tokenId, { random, world }))
    }
  }
}

/**
 * Creates an account of each token for each coordinator, on which it collects fees, and the accounts
 * of the demo wallet: 100 whole tokens of each of the first two tokens.
 */
function* firstAccounts({ wallets, random, settings }: Context, world: World): Iterable<L1Request> {
  for (let number = 0; number <= settings.coordinators; number++) {
    for (const token of world.tokens) {
      yield creationOf(wallets.coordinator(number), token.id, depositAmount(random, token))
    }
  }
  for (const { decimals, id } of world.tokens.slice(0, 2)) {
    yield creationOf(wallets.demo, id, 100n * 10n ** BigInt(decimals))
  }
}

/** Requests that take full effect. */
const VALID: RequestKinds = [
  depositRequest(() => ({ toAccountIndex: NO_ACCOUNT })),
  depositRequest(({ deposit }) => ({ amount: floorAmount(deposit / 2n) })),
  requestBetween(({ from, random }) => ({ amount: randomShare(random, from.balance, 400) })),
  requestBetween(({ from, random }) => ({
    toAccountIndex: EXIT_ACCOUNT,
    amount: randomShare(random, from.balance, 400)
  })),
  depositRequest(({ deposit, from }) => ({
    ...creatingSender(from),
    amount: floorAmount(deposit / 3n)
  }))
]
