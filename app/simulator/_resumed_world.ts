import { Struct } from "effect"
import type {
  Account,
  AuctionVariables,
  CoordinatorFeed,
  GenesisFeed,
  NetworkVariables,
  NextForger
} from "../../core/domain/mod.ts"
import { leafKey, ZERO_ADDRESS } from "../../core/encoding/mod.ts"
import { addCreatedAccount, stateTreeOf } from "./blocks/mod.ts"
import { type Context, type World, worldOf } from "./world/mod.ts"

/** What a simulation needs of a ledger so that its next blocks are valid. */
export interface LedgerContent
  extends Pick<World, "block" | "bids" | "lastBatchNum" | "nextQueue" | "transactionCount">
{
  /** All accounts, ascending by index. */
  readonly accounts: ReadonlyArray<Account>
  /** The latest registration of each bidder. */
  readonly coordinators: ReadonlyArray<CoordinatorFeed>
  /** The forgers of the slots whose auctions are closed. */
  readonly forgers: ReadonlyArray<NextForger>
  readonly tokens: Readonly<World["tokens"]>
  readonly queues: Readonly<World["queues"]>
  readonly variables: NetworkVariables
}

/** Returns the state of a chain that continues the blocks of a ledger with new traffic. */
export function resumedWorld(
  context: Context,
  genesis: GenesisFeed,
  { accounts, coordinators, forgers, queues, tokens, variables, ...content }: LedgerContent
): World {
  const { settings, wallets } = context
  const bidders = new Set(
    Array.from(
      { length: settings.coordinators + 1 },
      (_, number) => wallets.coordinator(number).address
    )
  )
  const queued = queues.flatMap(({ transactions }) =>
    transactions.flatMap(({ fromPublicKey }) => fromPublicKey ?? [])
  )
  const keys = new Set([...accounts.map(({ publicKey }) => publicKey), ...queued].map(leafKey))
  const hasArrived = Array.from(
    { length: settings.users },
    (_, number) => keys.has(wallets.user(number).publicKey)
  )
  const world: World = {
    ...worldOf(genesis),
    ...content,
    tokens: [...tokens],
    accountsOfToken: tokens.map(() => []),
    queues: [...queues],
    users: hasArrived.lastIndexOf(true) + 1,
    registrations: new Map(
      coordinators.filter(({ bidderAddr }) => bidders.has(bidderAddr))
        .map((coordinator) => [coordinator.bidderAddr, coordinator])
    ),
    variables: feedOf(variables),
    auctionVariables: [
      variables.auction,
      ...formerMinimums(variables.auction, forgers, content.bids).reverse()
    ]
  }
  for (const account of accounts) addCreatedAccount(context, world, account)
  if (!settings.placeholderRoots) world.tree = stateTreeOf(accounts)
  return world
}

/**
 * Returns variables for the slots whose minimum bids are older than the variables: in a closed slot
 * the best bid is below the minimum if it has not won; elsewhere every bid reaches it.
 */
const formerMinimums = (
  auction: AuctionVariables,
  forgers: ReadonlyArray<NextForger>,
  bids: World["bids"]
): Array<AuctionVariables> => {
  const variablesFrom = (slotNum: number, minimum: bigint) => ({
    ...auction,
    defaultSlotSetBidFirstSlot: slotNum,
    defaultSlotSetBid: auction.defaultSlotSetBid.map(() => minimum)
  })
  return [
    ...forgers.map(({ coordinator, period: { slotNum } }) => {
      const hasWinner = coordinator.bidderAddr !== ZERO_ADDRESS
      return variablesFrom(slotNum, hasWinner ? 0n : (bids.get(slotNum)?.bidValue ?? 0n) + 1n)
    }),
    variablesFrom(forgers.at(-1)!.period.slotNum + 1, 0n)
  ].filter(({ defaultSlotSetBidFirstSlot: first }) => first < auction.defaultSlotSetBidFirstSlot)
}

/** Returns the variables in the form of a feed: without what the ledger adds to them. */
const feedOf = (
  { auction, rollup, withdrawalDelayer }: NetworkVariables
): World["variables"] => ({
  auction: Struct.omit(auction, ["defaultSlotSetBidFirstSlot", "ethereumBlockNum"]),
  rollup: Struct.omit(rollup, ["verifiers", "ethereumBlockNum"]),
  withdrawalDelayer: Struct.omit(withdrawalDelayer, ["ethereumBlockNum"])
})
