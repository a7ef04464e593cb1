import type { ExitFeed, WithdrawalFeed } from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import {
  accountOf,
  type BlockDraft,
  type Context,
  type ExternalExit,
  type World,
  type OpenExit
} from "../world/mod.ts"

/**
 * Returns the exit if the simulator does not control its wallet: the demo wallet, or an account
 * that a client of the API has created. Its owner has no Ethereum node to withdraw with, so the
 * simulator always withdraws it, after a few blocks.
 */
export function externalExitsOf(
  { wallets }: Context,
  world: World,
  batchNum: number,
  { accountIndex, balance }: ExitFeed
): ReadonlyArray<ExternalExit> {
  const account = accountOf(world, accountIndex)
  if (
    account === undefined || account.address === INTERNAL_ADDRESS ||
    wallets.controls(account.publicKey)
  ) return []
  const { address, tokenId } = account
  const instant = worthUSD(world, tokenId, balance) <= INSTANT_MAX_USD
  return [{
    batchNum,
    accountIndex,
    tokenId,
    owner: address,
    instant,
    requested: false,
    dueBlock: world.block.number + WAIT_BLOCKS
  }]
}

/** Blocks from an exit to its withdrawal, and from a delayed request to its collection. */
const WAIT_BLOCKS = 2n

/** An exit that is worth more goes through the withdrawal delayer. */
const INSTANT_MAX_USD = 1000

/** Returns the value in US dollars; 0 if the token has no price. */
function worthUSD({ tokens }: World, tokenId: number, balance: bigint): number {
  const { decimals, priceUSD } = tokens[tokenId]!
  return Number(balance) / 10 ** decimals * (priceUSD ?? 0)
}

/** Adds the withdrawals, and the collections of delayed withdrawals, that are due in a block. */
function withdrawExternal(world: World, draft: BlockDraft): void {
  const due = world.externalExits.filter(({ dueBlock }) => dueBlock <= world.block.number)
  if (due.length === 0) return
  const notDue = world.externalExits.filter((exit) => !due.includes(exit))
  const withdrawals = due.filter(({ requested }) => !requested)
  const collections = new Map(
    due.filter(({ requested }) => requested).map((
      { owner, tokenId }
    ) => [`${owner} ${tokenId}`, { owner, tokenId }])
  )
  if (withdrawals.length > 0) {
    draft.withdrawals = [
      ...draft.withdrawals ?? [],
      ...withdrawals.map(({ accountIndex, batchNum, instant }) => ({
        batchNum,
        accountIndex,
        instant
      }))
    ]
  }
  if (collections.size > 0) {
    draft.delayedWithdrawals = [...draft.delayedWithdrawals ?? [], ...collections.values()]
  }
  // a collection includes all requests of its owner for the token, even those that are not due
  const uncollected = notDue.filter(({ owner, requested, tokenId }) =>
    !(requested && collections.has(`${owner} ${tokenId}`))
  )
  const requested = withdrawals.filter(({ instant }) => !instant)
  world.externalExits = [
    ...uncollected,
    ...requested.map((exit) => ({
      ...exit,
      requested: true,
      dueBlock: world.block.number + WAIT_BLOCKS
    }))
  ]
}

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
