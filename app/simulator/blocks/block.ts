import type {
  BatchFeed,
  BlockFeed,
  L1CoordinatorFeed,
  L2Feed,
  New,
  Transaction
} from "../../../core/domain/mod.ts"
import {
  addTokens,
  arrivalsPerBlock,
  coordinatorAccounts,
  fillQueues,
  changeVariables,
  l1Requests,
  addAuctionEvents,
  addPrices,
  queueSizeMax,
  takeQueue
} from "../traffic/mod.ts"
import { type BlockDraft, type Context, blockHashOf, type World } from "../world/mod.ts"
import { type BatchPlan, forgeBatch } from "./batch.ts"
import { withdraw } from "./withdrawals.ts"

/** Where the L2 transactions of a batch come from: planned on the spot, or selected from a pool. */
export interface L2Source {
  /** What was announced for a batch must be forged in it: the accounts to create first; undefined where nothing was. */
  readonly accountsToCreate: (batchNum: number) => ReadonlyArray<L1CoordinatorFeed> | undefined
  readonly fill: (batch: {
    readonly batchNum: number
    readonly count: number
    readonly queue: ReadonlyArray<New<Transaction>>
  }) => ReadonlyArray<L2Feed>
}

/** Adds a block to the world, which becomes the world after it; without a source it has no batch. */
export function makeBlock(
  context: Context,
  world: World,
  fork: number,
  source: L2Source | null
): BlockFeed {
  const draft = nextBlock(context, world, fork)
  context.schedule.nextBlock()
  addTokens(context, world, draft)
  addPrices(context, world, draft)
  addAuctionEvents(context, world, draft)
  const queueSize = Math.min(queueSizeMax, 2 * arrivalsPerBlock(context.settings.users) + 8)
  const aroundBatch = source !== null && context.schedule.takeDue("batchOfSameBlockQueue")
  fillQueues(world, draft, l1Requests(context, world), { queueSize, isSplitByBatch: aroundBatch })
  // before the batches, so that nothing is withdrawn in the block that forges it
  withdraw(context, world, draft)
  const batches = source === null
    ? []
    : forgeBatches(context, world, { source, sameBlockQueue: aroundBatch })
  if (batches.length > 0) draft.batches = batches
  changeVariables(context, world, draft)
  return draft
}

/** Room that a batch leaves for L1 transactions. */
const L2_PER_BATCH_MAX = 1700

function nextBlock({ random, settings }: Context, world: World, fork: number): BlockDraft {
  const parent = world.block
  const number = parent.number + 1n
  const timestampMs = parent.timestampMs + 1000 * random.integer(12, 15)
  world.block = { number, hash: blockHashOf(settings.seed, number, fork), timestampMs }
  return { number, hash: world.block.hash, parentHash: parent.hash, timestampMs }
}

function forgeBatches(
  context: Context,
  world: World,
  { sameBlockQueue, source }: { readonly source: L2Source; readonly sameBlockQueue: boolean }
): ReadonlyArray<BatchFeed> {
  const { schedule, random, settings } = context
  const l2Count = Math.round(settings.transactionsPerBlock * (0.4 + 1.2 * random.next()))
  const wished = sameBlockQueue
    ? 2
    : schedule.takeDue("severalBatches")
    ? random.integer(2, 3)
    : random.chance(0.75)
    ? 1
    : 0
  const count = wished === 0 ? 0 : Math.max(wished, Math.ceil(l2Count / L2_PER_BATCH_MAX))
  const batches: Array<BatchFeed> = []
  for (let left = count, rest = l2Count; left > 0; left--) {
    const share = left === 1 ? rest : Math.floor(rest / left)
    rest -= share
    // a second queue in a block is one that the block itself filled, so mostly one is enough
    const queueAllowed = batches.every(({ forgeL1TransactionsNum }) =>
      forgeL1TransactionsNum === null
    )
    const queue = sameBlockQueue ? "always" : queueAllowed ? "maybe" : "never"
    batches.push(
      forgeBatch(context, world, planBatch(context, world, { source, l2Count: share, queue }))
    )
  }
  return batches
}

interface BatchRequest {
  readonly source: L2Source
  readonly l2Count: number
  readonly queue: "always" | "maybe" | "never"
}

function planBatch(
  context: Context,
  world: World,
  { l2Count, queue: queueChoice, source }: BatchRequest
): BatchPlan {
  const { schedule, random } = context
  const batchNum = world.lastBatchNum + 1
  const announced = source.accountsToCreate(batchNum)
  if (queueChoice === "maybe" && announced === undefined && schedule.takeDue("emptyBatch")) {
    return { queue: null, l1Coordinator: [], l2: [] }
  }
  const waiting = world.queues.length > 0
  // only a batch with a queue creates accounts
  const forgesQueue = queueChoice === "always" || (announced ?? []).length > 0 ||
    (queueChoice === "maybe" &&
      (waiting ? random.chance(0.8) : schedule.takeDue("l1BatchWithoutTransactions")))
  const queue = forgesQueue ? takeQueue(world) : null
  return {
    queue,
    l1Coordinator: queue === null
      ? []
      : [...announced ?? [], ...coordinatorAccounts(context, world)],
    l2: source.fill({ batchNum, count: l2Count, queue: queue?.transactions ?? [] })
  }
}
