import type {
  Account,
  AuctionVariables,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  GenesisFeed,
  NetworkVariables,
  Token,
  Transaction
} from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, type PublicKey } from "../../core/encoding/mod.ts"
import { openExitsMax } from "./blocks/mod.ts"
import { addAccount, type Context, type Wallets, type World, worldOf } from "./world/mod.ts"

/** What a ledger tells of a network that somebody else, an earlier run for instance, has brought so far. */
export interface LedgerSnapshot {
  readonly lastBlock: EthereumBlock
  readonly lastBatchNum: number
  readonly lastForgedQueue: number | null
  readonly queues: ReadonlyArray<
    { readonly number: number; readonly transactions: ReadonlyArray<Transaction> }
  >
  /** Ascending, all of them. */
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: ReadonlyArray<Token>
  readonly coordinators: ReadonlyArray<Coordinator>
  /** Ascending, the newest ones. */
  readonly bids: ReadonlyArray<Bid>
  /** Not withdrawn, ascending, the newest ones. */
  readonly exits: ReadonlyArray<Exit>
  readonly variables: NetworkVariables
  /** From the newest to the oldest. */
  readonly auctionVariables: ReadonlyArray<AuctionVariables>
  /** Forged so far. */
  readonly transactions: number
}

/** The world that a snapshot shows; each step makes the acquaintance of some wallets, whose keys take a while to derive. */
export function* resumedWorld(
  { wallets, settings }: Context,
  genesis: GenesisFeed,
  snapshot: LedgerSnapshot
): Generator<void, World> {
  const world: World = {
    ...worldOf(genesis),
    block: snapshot.lastBlock,
    tokens: [...snapshot.tokens],
    accountsOfToken: snapshot.tokens.map(() => []),
    queues: [...snapshot.queues],
    nextQueue: (snapshot.lastForgedQueue ?? -1) + 1,
    lastBatchNum: snapshot.lastBatchNum,
    variables: feedOf(snapshot.variables),
    auctionVariables: snapshot.auctionVariables,
    transactionCount: snapshot.transactions,
    // what was recorded belongs to the network as it began
    stateKey: `resumed at ${snapshot.lastBlock.hash}`
  }
  for (const account of snapshot.accounts) addAccount(world, account)
  for (const { bidderAddr, forgerAddr, url } of snapshot.coordinators) {
    world.registrations.set(bidderAddr, { bidderAddr, forgerAddr, url })
  }
  for (const { bidValue, bidderAddr, slotNum } of snapshot.bids) {
    world.bids.set(slotNum, { bidder: bidderAddr, value: bidValue })
  }
  wallets.demo()
  for (let number = 0; number <= settings.coordinators; number++) {
    const { publicKey } = wallets.coordinator(number)
    const own = new Map(
      snapshot.accounts.filter((account) => account.publicKey === publicKey).toReversed().map((
        { index, tokenId }
      ) => [tokenId, index])
    )
    if (own.size > 0) world.feeAccounts.set(publicKey, [...own.values()].sort((a, b) => a - b))
    yield
  }
  world.users = yield* meetUsers(wallets, snapshot.accounts)
  addExits(wallets, world, snapshot.exits)
  return world
}

/** Those who come later than these are strangers after a restart: they keep what they have, and the simulator sends to them only. */
const USERS_MAX = 600

/** How many users have appeared; those whose accounts are not forged yet come again. */
function* meetUsers(wallets: Wallets, accounts: ReadonlyArray<Account>): Generator<void, number> {
  const keys = new Set<PublicKey>(accounts.map(({ publicKey }) => publicKey))
  let users = 0
  // every twelfth is internal and may have no account
  for (let number = 0; number < Math.min(users + 24, USERS_MAX); number++) {
    if (keys.has(wallets.user(number).publicKey)) users = number + 1
    yield
  }
  return users < USERS_MAX - 24 ? users : keys.size
}

/** Batches back from the last one that strangers' exits are still taken care of. */
const EXTERNAL_EXIT_BATCHES = 50

function addExits(wallets: Wallets, world: World, exits: ReadonlyArray<Exit>): void {
  const own = exits.filter(({ address }) => address !== INTERNAL_ADDRESS)
    .map(({ accountIndex, address, batchNum, delayedWithdrawRequest, publicKey, tokenId }) => ({
      exit: {
        batchNum,
        accountIndex,
        tokenId,
        owner: address,
        requested: delayedWithdrawRequest !== null
      },
      publicKey
    }))
  world.openExits = own.filter(({ publicKey }) => wallets.controls(publicKey)).map(({ exit }) =>
    exit
  )
    .slice(-openExitsMax)
  world.externalExits = own.filter(({ exit, publicKey }) =>
    !wallets.controls(publicKey) && exit.batchNum > world.lastBatchNum - EXTERNAL_EXIT_BATCHES
  )
    .map(({ exit }) => ({ ...exit, instant: !exit.requested, dueBlock: world.block.number + 1n }))
}

/** As a feed has them. */
const feedOf = ({ auction, rollup, withdrawalDelayer }: NetworkVariables): World["variables"] => ({
  auction: withoutBlock(auction),
  rollup: withoutBlock(rollup),
  withdrawalDelayer: withoutBlock(withdrawalDelayer)
})

function withoutBlock<Set extends { readonly ethereumBlockNum: bigint }>(
  set: Set
): Omit<Set, "ethereumBlockNum"> {
  const { ethereumBlockNum: _, ...variables } = set
  return variables
}
