import { changedAuctionVariables, slotOfBlock } from "../../../core/domain/mod.ts"
import { ZERO_ADDRESS } from "../../../core/encoding/mod.ts"
import {
  auctionVariablesMax,
  type BlockDraft,
  type Context,
  type Event,
  type World
} from "../world/mod.ts"

/** Adds changes of the contracts' variables and verifiers to a block, if they are due. */
export function changeVariables(context: Context, world: World, draft: BlockDraft): void {
  const { schedule } = context
  if (schedule.takeDue("rollupVariables")) changeRollup(context, world, draft)
  if (schedule.takeDue("verifiers")) changeVerifiers(context, draft)
  changeAuction(context, world, draft)
  if (schedule.takeDue("withdrawalDelayerVariables")) changeDelayer(context, world, draft)
}

/** The only bucket in safe mode: it allows no instant withdrawal. */
const SAFE_BUCKET = {
  ceilUSD: (1n << 96n) - 1n,
  blockStamp: 0n,
  withdrawals: 0n,
  blockWithdrawalRate: 1n,
  rateWithdrawals: 0n,
  maxWithdrawals: 0n
}

/** Changes the rollup contract: new buckets, or safe mode, which the next change ends. */
function changeRollup(
  { constants, random, schedule }: Context,
  world: World,
  draft: BlockDraft
): void {
  const { rollup } = world.variables
  const safeMode = !rollup.safeMode && schedule.takeDue("safeMode")
  const buckets = [100n, 1_000n, 10_000n, 100_000n, 1_000_000n].map((ceilUSD, position) => {
    const maxWithdrawals = BigInt(random.integer(20, 100) >> position)
    return {
      ceilUSD,
      blockStamp: world.block.number,
      withdrawals: maxWithdrawals,
      blockWithdrawalRate: BigInt(random.integer(2, 8) << position),
      rateWithdrawals: BigInt(random.integer(1, 3)),
      maxWithdrawals
    }
  })
  draft.rollupVariables = {
    forgeL1L2BatchTimeout: random.integer(8, constants.rollup.absoluteMaxL1L2BatchTimeout / 8),
    feeAddToken: BigInt(random.integer(5, 50)) * 10n ** 18n,
    withdrawalDelay: random.integer(1, 14) * 86_400,
    buckets: safeMode ? [SAFE_BUCKET] : buckets,
    safeMode
  }
  world.variables = { ...world.variables, rollup: draft.rollupVariables }
}

function changeVerifiers({ random }: Context, draft: BlockDraft): void {
  draft.verifiers = [
    ...random.chance(0.5) ? [{ maxTx: 344, nlevels: 32 }] : [],
    { maxTx: random.oneOf([1912, 2048]), nlevels: 32 },
    { maxTx: random.oneOf([400, 512]), nlevels: 40 }
  ]
}

type AuctionVariables = World["variables"]["auction"]

/** Returns what a change of the auction contract replaces. */
type AuctionChange = (
  context: Context,
  world: World,
  former: AuctionVariables
) => Partial<AuctionVariables>

/** The changes of the auction contract by the event that causes them. */
const AUCTION_CHANGES: ReadonlyArray<readonly [Event, AuctionChange]> = [
  // the bids of slots that are closed now stay
  ["defaultBids", ({ constants, random }, { block }, former) => ({
    defaultSlotSetBid: changedBids(random, former.defaultSlotSetBid),
    defaultSlotSetBidSlotNum: slotOfBlock(constants.auction, block.number) +
      former.closedAuctionSlots
  })],
  ["closedSlots", ({ random }, _world, { closedAuctionSlots }) => ({
    closedAuctionSlots: closedAuctionSlots > 4 ? random.integer(0, 2) : random.integer(6, 9)
  })],
  ["openSlots", ({ random }) => ({ openAuctionSlots: random.integer(8, 60) })],
  ["slotDeadline", ({ random }) => ({ slotDeadline: random.integer(2, 6) })],
  ["outbidding", ({ random }) => ({ outbidding: random.oneOf([500, 1000, 1500]) })],
  ["allocationRatio", ({ random }) => {
    const donated = 100 * random.integer(10, 60)
    const burned = 100 * random.integer(0, 40)
    return { allocationRatio: [burned, donated, 10_000 - burned - donated] }
  }],
  ["donationAddress", ({ random, wallets }) => ({
    donationAddress: wallets.contractAddress(`donation/${random.integer(2, 99)}`)
  })],
  ["bootCoordinator", ({ random, settings, wallets }) => {
    const number = random.integer(2, 99)
    return {
      bootCoordinator: wallets.contractAddress(`boot/${number}`),
      bootCoordinatorUrl: settings.coordinatorUrl ?? `https://boot${number}.example`
    }
  }]
]

const WHOLE = 10n ** 18n

/** Returns default bids that are all raised or all lowered. */
function changedBids(
  random: Context["random"],
  bids: ReadonlyArray<bigint>
): ReadonlyArray<bigint> {
  const [first = WHOLE] = bids
  const isRaised = first < 8n * WHOLE || (first < 30n * WHOLE && random.chance(0.5))
  const percent = isRaised ? random.integer(130, 220) : random.integer(45, 85)
  return bids.map((bid) => bid * BigInt(percent) / 100n)
}

function changeAuction(context: Context, world: World, draft: BlockDraft): void {
  const former = world.variables.auction
  const changes = AUCTION_CHANGES.filter(([event]) => context.schedule.takeDue(event)).map((
    [, change]
  ) => change(context, world, former))
  if (changes.length === 0) return
  const auction: AuctionVariables = Object.assign({ ...former }, ...changes)
  draft.auctionVariables = auction
  if (auction.bootCoordinator !== former.bootCoordinator) {
    // the event registers the boot coordinator without a bidder
    draft.coordinators = [...draft.coordinators ?? [], {
      bidderAddr: ZERO_ADDRESS,
      forgerAddr: auction.bootCoordinator,
      url: auction.bootCoordinatorUrl
    }]
  }
  world.auctionVariables = [
    changedAuctionVariables(world.auctionVariables[0]!, {
      ...auction,
      ethereumBlockNum: world.block.number
    }),
    ...world.auctionVariables
  ].slice(0, auctionVariablesMax)
  world.variables = { ...world.variables, auction }
}

/** Changes the withdrawal delayer: the next change after an emergency ends it. */
function changeDelayer({ random, schedule }: Context, world: World, draft: BlockDraft): void {
  const former = world.variables.withdrawalDelayer
  const emergencyMode = !former.emergencyMode && schedule.takeDue("emergency")
  draft.withdrawalDelayerVariables = {
    ...former,
    withdrawalDelay: schedule.takeDue("noDelay") ? 0 : 60 * random.integer(1, 3),
    emergencyMode,
    emergencyModeStartingBlock: emergencyMode ? world.block.number : 0n,
    emergencyModeStartingTime: emergencyMode ? Math.floor(world.block.timestampMs / 1000) : 0
  }
  world.variables = { ...world.variables, withdrawalDelayer: draft.withdrawalDelayerVariables }
}
