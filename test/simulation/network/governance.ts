import type { BlockFeed } from "../../../core/domain/mod.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import type { Facts } from "../../laws/mod.ts"

/** Returns changes that governance makes in a block. */
export function drawChanges(
  random: SeededRandom,
  { genesis: { constants }, variables }: Facts,
  number: bigint
): Partial<BlockFeed> {
  const parts: { -readonly [Part in keyof BlockFeed]?: BlockFeed[Part] } = {}
  if (random.chance(0.1)) {
    const { defaultSlotSetBidFirstSlot: _, ethereumBlockNum: __, ...auction } = variables.auction
    const { blocksPerSlot, genesisBlockNum } = constants.auction
    const slot = Math.max(0, Math.floor(Number(number - genesisBlockNum) / blocksPerSlot))
    parts.auctionVariables = random.chance(0.3)
      ? { ...auction, closedAuctionSlots: random.of([0, 1, 2, 5]) }
      : {
        ...auction,
        defaultSlotSetBid: auction.defaultSlotSetBid.map((bid) =>
          random.chance(0.8) ? BigInt(1 + random.below(2000)) : bid
        ),
        defaultSlotSetBidSlotNum: slot + auction.closedAuctionSlots
      }
  }
  if (random.chance(0.08)) {
    const { ethereumBlockNum: _, ...delayer } = variables.withdrawalDelayer
    parts.withdrawalDelayerVariables = {
      ...delayer,
      withdrawalDelay: random.chance(0.7) ? 0 : 60 * random.below(5)
    }
  }
  if (random.chance(0.04)) {
    parts.verifiers = [{ maxTx: 344 + random.below(2000), nlevels: random.of([24, 32]) }]
  }
  return parts
}

/** Returns withdrawals and collections; with a delay of 0, a request can be collected at once. */
export function drawWithdrawals(
  random: SeededRandom,
  { exits, variables }: Facts,
  { withdrawalDelayerVariables }: Partial<BlockFeed>
): Partial<BlockFeed> {
  const parts: { -readonly [Part in keyof BlockFeed]?: BlockFeed[Part] } = {}
  const open = exits.filter(({ delayedWithdrawRequest, instantWithdrawn }) =>
    instantWithdrawn === null && delayedWithdrawRequest === null
  )
  const requested = exits.filter(({ delayedWithdrawn, delayedWithdrawRequest }) =>
    delayedWithdrawRequest !== null && delayedWithdrawn === null
  )
  if (open.length > 0 && random.chance(0.3)) {
    const first = random.below(open.length)
    parts.withdrawals = open.slice(first, first + 1 + random.below(2)).map((
      { accountIndex, batchNum }
    ) => ({ batchNum, accountIndex, instant: random.chance(0.4) }))
  }
  const isDelayZero = [variables.withdrawalDelayer, withdrawalDelayerVariables].some((set) =>
    set?.withdrawalDelay === 0
  )
  const requests = (parts.withdrawals ?? []).flatMap(({ accountIndex, batchNum, instant }, at) =>
    instant ? [] : [{
      at,
      exit: exits.find((exit) => exit.accountIndex === accountIndex && exit.batchNum === batchNum)!
    }]
  )
  if (isDelayZero && requests.length > 0 && random.chance(0.6)) {
    const { at, exit: { address: owner, tokenId } } = random.of(requests)
    const place = random.chance(0.5) ? { afterWithdrawals: at + 1 } : {}
    parts.delayedWithdrawals = [{ owner, tokenId, ...place }]
  } else if (requested.length > 0 && random.chance(0.3)) {
    const { address: owner, tokenId } = random.of(requested)
    parts.delayedWithdrawals = [{ owner, tokenId }]
  }
  return parts
}
