import type { Account, GenesisFeed, NetworkVariables } from "../../core/domain/mod.ts"
import { leafKey } from "../../core/encoding/mod.ts"
import { addCreatedAccount, stateTreeOf } from "./blocks/mod.ts"
import { type Context, type World, worldOf } from "./world/mod.ts"

/** What a simulation needs of a ledger so that its next blocks are valid. */
export interface LedgerContent
  extends Pick<World, "block" | "bids" | "lastBatchNum" | "nextQueue" | "transactionCount">
{
  /** All accounts, ascending by index. */
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: Readonly<World["tokens"]>
  readonly queues: Readonly<World["queues"]>
  readonly variables: NetworkVariables
}

/** Returns the state of a chain that continues the blocks of a ledger with new traffic. */
export function resumedWorld(
  context: Context,
  genesis: GenesisFeed,
  { accounts, queues, tokens, variables, ...content }: LedgerContent
): World {
  const { settings, wallets } = context
  for (let number = 0; number <= settings.coordinators; number++) wallets.coordinator(number)
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
    variables: feedOf(variables),
    // as if they had applied to all slots: only the minimum bids of slots that are closed now differ
    auctionVariables: [{ ...variables.auction, defaultSlotSetBidFirstSlot: 0 }]
  }
  for (const account of accounts) addCreatedAccount(context, world, account)
  if (!settings.placeholderRoots) world.tree = stateTreeOf(accounts)
  return world
}

/** Returns the variables in the form of a feed: without what the ledger adds to them. */
function feedOf({ auction, rollup, withdrawalDelayer }: NetworkVariables): World["variables"] {
  const { defaultSlotSetBidFirstSlot: _firstSlot, ...auctionFeed } = withoutBlock(auction)
  const { verifiers: _verifiers, ...rollupFeed } = withoutBlock(rollup)
  return {
    auction: auctionFeed,
    rollup: rollupFeed,
    withdrawalDelayer: withoutBlock(withdrawalDelayer)
  }
}

function withoutBlock<Set extends { readonly ethereumBlockNum: bigint }>(
  set: Set
): Omit<Set, "ethereumBlockNum"> {
  const { ethereumBlockNum: _, ...variables } = set
  return variables
}
