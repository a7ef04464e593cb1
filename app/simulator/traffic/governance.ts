import { changedAuctionVariables, slotOfBlock } from "../../../core/domain/mod.ts"
import { auctionVariablesMax, type BlockDraft, type Context, type World } from "../world/mod.ts"

/** Adds changes of the contracts' variables to a block, if they are due. */
export function changeVariables(context: Context, world: World, draft: BlockDraft): void {
  const { schedule, random } = context
  if (schedule.takeDue("rollupVariables")) {
    const rollup = world.variables.rollup
    draft.rollupVariables = {
      ...rollup,
      forgeL1L2BatchTimeout: random.integer(8, 20),
      feeAddToken: BigInt(random.integer(5, 50)) * 10n ** 18n,
      safeMode: !rollup.safeMode && random.chance(0.3)
    }
    world.variables = { ...world.variables, rollup: draft.rollupVariables }
  }
  if (schedule.takeDue("auctionVariables")) changeAuction(context, world, draft)
  if (schedule.takeDue("withdrawalDelayerVariables")) changeDelayer(context, world, draft)
}

/** Changes the auction: the new default bids apply from the first slot that is open for auction. */
function changeAuction({ constants, random }: Context, world: World, draft: BlockDraft): void {
  const former = world.variables.auction
  draft.auctionVariables = {
    ...former,
    outbidding: random.oneOf([500, 1000, 1500]),
    defaultSlotSetBid: former.defaultSlotSetBid.map((bid) =>
      bid * BigInt(random.integer(80, 125)) / 100n
    ),
    defaultSlotSetBidSlotNum: slotOfBlock(constants.auction, world.block.number) +
      former.closedAuctionSlots
  }
  const change = { ...draft.auctionVariables, ethereumBlockNum: world.block.number }
  world.auctionVariables = [
    changedAuctionVariables(world.auctionVariables[0]!, change),
    ...world.auctionVariables
  ].slice(0, auctionVariablesMax)
  world.variables = { ...world.variables, auction: draft.auctionVariables }
}

/** Changes the withdrawal delayer: the next change after an emergency ends it. */
function changeDelayer({ random }: Context, world: World, draft: BlockDraft): void {
  const former = world.variables.withdrawalDelayer
  const emergencyMode = !former.emergencyMode && random.chance(0.4)
  draft.withdrawalDelayerVariables = {
    ...former,
    withdrawalDelay: random.integer(1, 24) * 3600,
    emergencyMode,
    emergencyModeStartingBlock: emergencyMode ? world.block.number : 0n,
    emergencyModeStartingTime: emergencyMode ? Math.floor(world.block.timestampMs / 1000) : 0
  }
  world.variables = { ...world.variables, withdrawalDelayer: draft.withdrawalDelayerVariables }
}
