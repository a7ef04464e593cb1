import type { WithdrawalFeed } from "../../../core/domain/mod.ts"
import type { BlockDraft, Context, OpenExit, World } from "../world/mod.ts"
import { withdrawExternal } from "./external_exits.ts"

/** Adds withdrawals to a block, of exits in earlier blocks only: their batch must be on chain. */
export function addWithdrawals(context: Context, world: World, draft: BlockDraft): void {
  addCollection(context, world, draft)
  const withdrawals = [
    ...takeOpenExits(context, world, "instantWithdrawal"),
    ...takeOpenExits(context, world, "delayedRequest")
  ]
  if (withdrawals.length > 0) draft.withdrawals = withdrawals
  withdrawExternal(world, draft)
  updateBucket(context, world, draft)
}

/**
 * Adds a collection. Runs before the withdrawals: only requests of earlier blocks can be collected.
 */
function addCollection(context: Context, world: World, draft: BlockDraft): void {
  const exit = world.openExits.find(({ requested }) => requested)
  if (exit === undefined || !context.schedule.takeDue("delayedCollection")) return
  const { owner, tokenId } = exit
  draft.delayedWithdrawals = [{ owner, tokenId }]
  world.openExits = world.openExits.filter((other) =>
    !(other.requested && other.owner === owner && other.tokenId === tokenId)
  )
}

/** Number of open exits that are remembered; older ones are never withdrawn. */
export const openExitsMax = 40

function takeOpenExits(
  { schedule, random }: Context,
  world: World,
  event: "instantWithdrawal" | "delayedRequest"
): ReadonlyArray<WithdrawalFeed> {
  const open = world.openExits.filter(({ requested }) => !requested)
  if (open.length < 3 || !schedule.takeDue(event)) return []
  const instant = event === "instantWithdrawal"
  const chosen = new Set<OpenExit>()
  for (let count = random.integer(1, 3); count > 0; count--) {
    chosen.add(open[random.integer(0, open.length - 1)]!)
  }
  world.openExits = instant
    ? world.openExits.filter((exit) => !chosen.has(exit))
    : world.openExits.map((exit) => (chosen.has(exit) ? { ...exit, requested: true } : exit))
  return [...chosen].map(({ accountIndex, batchNum }) => ({ batchNum, accountIndex, instant }))
}

/** Changes the state of a withdrawal bucket if the block has an instant withdrawal. */
function updateBucket({ schedule, random }: Context, world: World, draft: BlockDraft): void {
  if (!(draft.withdrawals ?? []).some(({ instant }) => instant) || !schedule.takeDue("bucket")) {
    return
  }
  const { rollup } = world.variables
  const bucket = random.integer(0, rollup.buckets.length - 1)
  const former = rollup.buckets[bucket]
  if (former === undefined) return
  const change = {
    blockStamp: world.block.number,
    withdrawals: BigInt(random.integer(0, Number(former.maxWithdrawals)))
  }
  draft.bucketUpdates = [{ bucket, ...change }]
  const buckets = rollup.buckets.map((
    other,
    position
  ) => (position === bucket ? { ...other, ...change } : other))
  world.variables = { ...world.variables, rollup: { ...rollup, buckets } }
}
