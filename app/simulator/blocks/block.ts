import type { BatchFeed, BlockFeed, L1CoordinatorFeed, L2Feed } from "../../../core/domain/mod.ts"
import { hexOfBytes } from "../../../core/encoding/mod.ts"
import type { QueuedTransaction } from "../../../core/use_cases/mod.ts"
import {
  addTokens,
  coordinatorAccounts,
  fillQueues,
  changeVariables,
  forgerOf,
  addAuctionEvents,
  planAbsence,
  takeQueue
} from "../traffic/mod.ts"
import { type BlockDraft, type Context, blockHashOf, digestOf, type World } from "../world/mod.ts"
import { type BatchPlan, forgeBatch } from "./batch.ts"
import { addWithdrawals } from "./withdrawals.ts"

/** The source of a batch's L2 transactions: a planner, or the selection from a pool. */
export interface L2Source {
  /**
   * Returns the accounts that the selection for this batch creates; undefined if there is no
   * selection.
   */
  readonly accountsToCreate: (batchNum: number) => ReadonlyArray<L1CoordinatorFeed> | undefined
  /** Returns the L2 transactions of the batch. */
  readonly fill: (batch: {
    readonly batchNum: number
    readonly count: number
    readonly queue: ReadonlyArray<QueuedTransaction>
  }) => ReadonlyArray<L2Feed>
}

/** Options of a block. */
export interface BlockOptions {
  /** Number of rollbacks before it. */
  readonly fork: number
  readonly source: L2Source | null
  /** Its time; by default 12 to 15 seconds after the last block. */
  readonly timestampMs?: number | undefined
}

/** Returns the next block, and applies it to the world. Without a source it has no batches. */
export function makeBlock(
  context: Context,
  world: World,
  { fork, source, timestampMs }: BlockOptions
): BlockFeed {
  const draft = nextBlock(context, world, fork, timestampMs)
  context.schedule.nextBlock()
  addTokens(context, world, draft)
  addAuctionEvents(context, world, draft)
  planAbsence(context, world)
  const forger = forgerOf(context, world)
  const forgesOwnQueue = source !== null && forger !== undefined &&
    context.schedule.takeDue("batchOfSameBlockQueue")
  fillQueues(context, world, draft, forgesOwnQueue)
  const former = world.variables
  changeVariables(context, world, draft)
  // before the batches: an exit cannot be withdrawn in the block that forges it
  addWithdrawals(context, world, draft, former)
  const batches = source === null || forger === undefined
    ? []
    : forgeBatches(context, world, { source, forger, forgesOwnQueue })
  if (batches.length > 0) draft.batches = batches
  addEthereumTransactions(draft)
  return draft
}

/** Maximum L2 transactions of a batch, which leaves room for L1 transactions. */
const L2_PER_BATCH_MAX = 1700

function nextBlock(
  { random, settings }: Context,
  world: World,
  fork: number,
  timeMs: number | undefined
): BlockDraft {
  const parent = world.block
  const number = parent.number + 1n
  // drawn in any case, so that the time changes nothing else
  const usualMs = parent.timestampMs + 1000 * random.integer(12, 15)
  const timestampMs = timeMs ?? usualMs
  world.block = { number, hash: blockHashOf(settings.seed, number, fork), timestampMs }
  return { number, hash: world.block.hash, parentHash: parent.hash, timestampMs }
}

function forgeBatches(
  context: Context,
  world: World,
  { forger, forgesOwnQueue, source }: {
    readonly source: L2Source
    readonly forger: BatchPlan["forger"]
    /** Whether the batches forge a queue that this block fills. */
    readonly forgesOwnQueue: boolean
  }
): ReadonlyArray<BatchFeed> {
  const { schedule, random, settings } = context
  const l2Count = Math.round(settings.transactionsPerBlock * (0.4 + 1.2 * random.next()))
  const countMin = forgesOwnQueue
    ? 2
    : schedule.takeDue("severalBatches")
    ? random.integer(2, 3)
    : random.chance(0.75)
    ? 1
    : 0
  const count = countMin === 0 ? 0 : Math.max(countMin, Math.ceil(l2Count / L2_PER_BATCH_MAX))
  const batches: Array<BatchFeed> = []
  for (let batchesLeft = count, l2Left = l2Count; batchesLeft > 0; batchesLeft--) {
    const share = batchesLeft === 1 ? l2Left : Math.floor(l2Left / batchesLeft)
    l2Left -= share
    // at most one queue per block: a second one would be a queue that this block fills
    const queueAllowed = batches.every(({ forgeL1TransactionsNum }) =>
      forgeL1TransactionsNum === null
    )
    const queue = forgesOwnQueue ? "always" : queueAllowed ? "maybe" : "never"
    batches.push(
      forgeBatch(context, world, {
        forger,
        ...planBatch(context, world, { source, l2Count: share, queue })
      })
    )
  }
  return batches
}

function planBatch(
  context: Context,
  world: World,
  { l2Count, queue: queueChoice, source }: {
    readonly source: L2Source
    readonly l2Count: number
    readonly queue: "always" | "maybe" | "never"
  }
): Omit<BatchPlan, "forger"> {
  const { schedule, random } = context
  const batchNum = world.lastBatchNum + 1
  const selectedAccounts = source.accountsToCreate(batchNum)
  if (queueChoice === "maybe" && selectedAccounts === undefined && schedule.takeDue("emptyBatch")) {
    return { queue: null, l1Coordinator: [], l2: [] }
  }
  const hasQueue = world.queues.length > 0
  // only a batch with a queue creates accounts
  const forgesQueue = queueChoice === "always" || (selectedAccounts ?? []).length > 0 ||
    (queueChoice === "maybe" &&
      (hasQueue ? random.chance(0.8) : schedule.takeDue("l1BatchWithoutTransactions")))
  const queue = forgesQueue ? takeQueue(world) : null
  return {
    queue,
    l1Coordinator: queue === null
      ? []
      : [...selectedAccounts ?? [], ...coordinatorAccounts(context, world)],
    l2: source.fill({ batchNum, count: l2Count, queue: queue?.transactions ?? [] })
  }
}

const gasUsed = 120_000n
const gwei = 10n ** 9n

/**
 * Adds the Ethereum transactions of the batches and of the L1 user transactions of a block. Like
 * those of a synchroniser without them, some are missing.
 */
function addEthereumTransactions(draft: BlockDraft): void {
  const transactionOf = (name: string) => {
    const digest = digestOf(`${draft.hash}/transaction/${name}`)
    return {
      isKnown: digest[0]! % 8 > 0,
      ethereumTxHash: `0x${hexOfBytes(digest)}`,
      gasPrice: BigInt(10 + digest[1]! % 50) * gwei
    }
  }
  if (draft.batches !== undefined) {
    draft.batches = draft.batches.map((batch) => {
      const { ethereumTxHash, isKnown } = transactionOf(`batch/${batch.batchNum}`)
      return isKnown ? { ...batch, ethereumTxHash } : batch
    })
  }
  if (draft.l1UserTransactions !== undefined) {
    draft.l1UserTransactions = draft.l1UserTransactions.map((feed) => {
      const name = `queue/${feed.toForgeL1TransactionsNum}/${feed.position}`
      const { ethereumTxHash, gasPrice, isKnown } = transactionOf(name)
      return isKnown ? { ...feed, ethereumTxHash, l1Fee: gasUsed * gasPrice } : feed
    })
  }
}
