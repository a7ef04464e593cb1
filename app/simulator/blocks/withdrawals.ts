import { type ExitFeed, type WithdrawalFeed, withdrawalsLeft } from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import {
  accountOf,
  type BlockDraft,
  type Context,
  type World,
  type OpenExit
} from "../world/mod.ts"

/**
 * Adds the exits of a batch that can be withdrawn: those of internal accounts cannot. If the
 * simulator does not control the wallet of an exit (the demo wallet, or an account that a client of
 * the API has created), its owner has no Ethereum node to withdraw with, so the simulator always
 * withdraws it, after a few blocks. Of its own, it forgets the oldest ones that are not requested if
 * there are too many.
 */
export function addExits(
  { wallets }: Context,
  world: World,
  batchNum: number,
  exits: ReadonlyArray<ExitFeed>
): void {
  const added = exits.flatMap(({ accountIndex, balance }): ReadonlyArray<OpenExit> => {
    const { address: owner, publicKey, tokenId } = accountOf(world, accountIndex)!
    if (owner === INTERNAL_ADDRESS) return []
    const external = wallets.controls(publicKey) ? null : {
      isInstant: worthUSD(world, tokenId, balance) <= INSTANT_MAX_USD,
      dueBlock: world.block.number + WAIT_BLOCKS
    }
    return [{ batchNum, accountIndex, tokenId, owner, balance, requestedMs: null, external }]
  })
  const open = [...world.openExits, ...added]
  const forgotten = new Set(open.filter(isOwnUnrequested).slice(0, -openExitsMax))
  world.openExits = open.filter((exit) => !forgotten.has(exit))
}

const isOwnUnrequested = ({ external, requestedMs }: OpenExit): boolean =>
  external === null && requestedMs === null

/** Blocks from an exit to its withdrawal. */
const WAIT_BLOCKS = 2n

/** An exit that is worth more goes through the withdrawal delayer. */
const INSTANT_MAX_USD = 1000

/** Number of open exits that are remembered; older ones are never withdrawn. */
const openExitsMax = 40

/**
 * Adds withdrawals and collections to a block, of exits in earlier blocks only: their batch must be
 * on chain. `former` are the variables before the block, and those of the world the ones after it.
 */
export function addWithdrawals(
  context: Context,
  world: World,
  draft: BlockDraft,
  former: World["variables"]
): void {
  const delayers = [former.withdrawalDelayer, world.variables.withdrawalDelayer]
  // if a block changes the delayer, it does only what both allow
  const delaysMs = delayers.map(({ withdrawalDelay }) => 1000 * withdrawalDelay)
  const delayMs = Math.max(...delaysMs)
  const isOpen = delayers.every(({ emergencyMode }) => !emergencyMode)
  const isCollected =
    world.openExits.some(({ external, requestedMs }) =>
      external === null && requestedMs !== null
    ) &&
    context.schedule.takeDue("delayedCollection")
  if (isOpen && delayMs > 0) {
    // by default a delay of 0 would include the requests of this block
    const place = Math.min(...delaysMs) === 0 ? { afterWithdrawals: 0 } : {}
    collect(world, draft, { delayMs, isCollected, ...place })
  }
  const withdrawals = [
    ...withdrawOwn(context, world, draft),
    ...withdrawExternal(world, draft)
  ]
  if (withdrawals.length > 0) draft.withdrawals = withdrawals
  // without a delay the block also collects what it requests
  if (isOpen && delayMs === 0) {
    const place = context.random.chance(0.5) ? { afterWithdrawals: withdrawals.length } : {}
    collect(world, draft, { delayMs, isCollected: true, ...place })
  }
}

const ownerKey = ({ owner, tokenId }: OpenExit): string => `${owner} ${tokenId}`

/**
 * Adds the collections that the delay allows. It runs from the last request of an owner for a token,
 * and a collection includes all requests of the owner for the token.
 */
function collect(
  world: World,
  draft: BlockDraft,
  { delayMs, isCollected, afterWithdrawals }: {
    readonly delayMs: number
    /** Whether the wallets of the simulator collect. The other owners always do. */
    readonly isCollected: boolean
    readonly afterWithdrawals?: number
  }
): void {
  const requests = Map.groupBy(
    world.openExits.filter(({ requestedMs }) => requestedMs !== null),
    ownerKey
  )
  const allowed = new Map(
    [...requests].filter(([, group]) =>
      (isCollected || group.some(({ external }) => external !== null)) &&
      group.every(({ requestedMs }) => requestedMs! + delayMs <= world.block.timestampMs)
    )
  )
  if (allowed.size === 0) return
  draft.delayedWithdrawals = [...allowed.values()].map(([exit]) => ({
    owner: exit!.owner,
    tokenId: exit!.tokenId,
    ...afterWithdrawals === undefined ? {} : { afterWithdrawals }
  }))
  world.openExits = world.openExits.filter((exit) =>
    exit.requestedMs === null || !allowed.has(ownerKey(exit))
  )
}

/** Withdraws the due exits of wallets that the simulator does not control. */
const withdrawExternal = (world: World, draft: BlockDraft): ReadonlyArray<WithdrawalFeed> =>
  world.openExits.flatMap((exit) => {
    const { external, requestedMs } = exit
    const isDue = external !== null && requestedMs === null &&
      external.dueBlock <= world.block.number
    return isDue ? [withdraw(world, draft, exit, external.isInstant)] : []
  })

/** Withdraws some exits of wallets of the simulator. */
function withdrawOwn(
  { schedule, random }: Context,
  world: World,
  draft: BlockDraft
): ReadonlyArray<WithdrawalFeed> {
  const open = world.openExits.filter(isOwnUnrequested)
  const empty = open.filter(({ balance }) => balance === 0n)
  /** Whether each chosen exit is withdrawn instantly, if its bucket allows that. */
  const chosen = new Map<OpenExit, boolean>()
  for (const event of ["instantWithdrawal", "delayedRequest"] as const) {
    if (open.length < 3 || !schedule.takeDue(event)) continue
    for (let count = random.integer(1, 3); count > 0; count--) {
      chosen.set(random.pick(open)!, event === "instantWithdrawal")
    }
  }
  if (empty.length > 0 && schedule.takeDue("emptyExitWithdrawal")) {
    chosen.set(random.pick(empty)!, random.chance(0.5))
  }
  return [...chosen].map(([exit, isInstant]) => withdraw(world, draft, exit, isInstant))
}

/** Withdraws an exit: instantly, if this is chosen and its bucket allows it, or by a request. */
function withdraw(
  world: World,
  draft: BlockDraft,
  exit: OpenExit,
  isInstant: boolean
): WithdrawalFeed {
  const instant = isInstant && takeFromBucket(world, draft, exit)
  const requested = { ...exit, requestedMs: world.block.timestampMs }
  world.openExits = world.openExits.flatMap((other) =>
    other !== exit ? [other] : instant ? [] : [requested]
  )
  return { batchNum: exit.batchNum, accountIndex: exit.accountIndex, instant }
}

/** Returns the value in US dollars; 0 if the token has no price. */
function worthUSD({ tokens }: World, tokenId: number, balance: bigint): number {
  const { decimals, priceUSD } = tokens[tokenId]!
  return Number(balance) / 10 ** decimals * (priceUSD ?? 0)
}

/**
 * Returns whether an instant withdrawal of an exit is allowed, and then takes it from its bucket: the
 * first one whose ceiling is at least its value. An exit without a value needs no bucket.
 */
function takeFromBucket(
  world: World,
  draft: BlockDraft,
  { balance, tokenId }: Pick<OpenExit, "balance" | "tokenId">
): boolean {
  const valueUSD = worthUSD(world, tokenId, balance)
  if (valueUSD === 0) return true
  const { rollup } = world.variables
  const bucket = rollup.buckets.findIndex(({ ceilUSD }) => valueUSD <= Number(ceilUSD))
  const former = rollup.buckets[bucket]
  if (former === undefined) return false
  const left = withdrawalsLeft(former, world.block.number)
  if (left === 0n) return false
  const change = { blockStamp: world.block.number, withdrawals: left - 1n }
  draft.bucketUpdates = [...draft.bucketUpdates ?? [], { bucket, ...change }]
  const buckets = rollup.buckets.with(bucket, { ...former, ...change })
  world.variables = { ...world.variables, rollup: { ...rollup, buckets } }
  return true
}
