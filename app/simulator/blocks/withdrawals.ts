import type { WithdrawalFeed } from "../../../core/domain/mod.ts"
import type { BlockDraft, Context, OpenExit, World } from "../world/mod.ts"
import { withdrawExternal } from "./external_exits.ts"

/** What leaves the rollup in a block: only exits of earlier blocks, since the batch must be on chain first. */
export function withdraw(context: Context, world: World, draft: BlockDraft): void {
  collect(context, world, draft)
  const withdrawals = [
    ...takeOpen(context, world, "instantWithdrawal"),
    ...takeOpen(context, world, "delayedRequest")
  ]
  if (withdrawals.length > 0) draft.withdrawals = withdrawals
  withdrawExternal(world, draft)
  updateBucket(context, world, draft)
}

/** Before the withdrawals of the block: only what earlier blocks requested can be collected. */
function collect(context: Context, world: World, draft: BlockDraft): void {
  const exit = world.openExits.find(({ requested }) => requested)
  if (exit === undefined || !context.schedule.takeDue("delayedCollection")) return
  const { owner, tokenId } = exit
  draft.delayedWithdrawals = [{ owner, tokenId }]
  world.openExits = world.openExits.filter((other) =>
    !(other.requested && other.owner === owner && other.tokenId === tokenId)
  )
}

/** Exits beyond these are forgotten, so that some are never withdrawn. */
export const openExitsMax = 40

function takeOpen(
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

/** A bucket fills by and by and is drained by instant withdrawals. */
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
