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
import { INTERNAL_ADDRESS, leafKey, type PublicKey, ZERO_ADDRESS } from "../../core/encoding/mod.ts"
import { openExitsMax } from "./blocks/mod.ts"
import { addAccount, type Context, type Wallets, type World, worldOf } from "./world/mod.ts"

/** The state of a ledger from which a simulation resumes. */
export interface LedgerSnapshot {
  readonly lastBlock: EthereumBlock
  readonly lastBatchNum: number
  readonly lastForgedQueue: number | null
  readonly queues: ReadonlyArray<
    { readonly number: number; readonly transactions: ReadonlyArray<Transaction> }
  >
  /** All accounts, ascending by index. */
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: ReadonlyArray<Token>
  readonly coordinators: ReadonlyArray<Coordinator>
  /** The newest bids, ascending. */
  readonly bids: ReadonlyArray<Bid>
  /** The newest exits that are not withdrawn, ascending. */
  readonly exits: ReadonlyArray<Exit>
  readonly variables: NetworkVariables
  /** Newest first. */
  readonly auctionVariables: ReadonlyArray<AuctionVariables>
  /** Number of forged transactions. */
  readonly transactions: number
}

/**
 * Returns the state of the chain that a snapshot describes. Yields after each derived key, so that
 * the caller can run other work in between.
 */
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
    // the recording contains roots of the network from its genesis only
    stateKey: `resumed at ${snapshot.lastBlock.hash}`
  }
  for (const account of snapshot.accounts) addAccount(world, account)
  for (const { bidderAddr, forgerAddr, url } of snapshot.coordinators) {
    // the boot coordinator has no bidder
    if (bidderAddr !== ZERO_ADDRESS) {
      world.registrations.set(bidderAddr, { bidderAddr, forgerAddr, url })
    }
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
  world.users = yield* countUsers(wallets, snapshot.accounts)
  addExits(wallets, world, snapshot.exits)
  return world
}

/**
 * Number of users whose keys are derived again. The simulator does not send from the accounts of
 * later users.
 */
const USERS_MAX = 600

/**
 * Returns the number of users that have arrived. Users whose accounts are not forged yet arrive
 * again.
 */
function* countUsers(wallets: Wallets, accounts: ReadonlyArray<Account>): Generator<void, number> {
  const keys = new Set<PublicKey>(accounts.map(({ publicKey }) => leafKey(publicKey)))
  let users = 0
  // looks ahead, since every twelfth user is internal and may have no account
  for (let number = 0; number < Math.min(users + 24, USERS_MAX); number++) {
    if (keys.has(wallets.user(number).publicKey)) users = number + 1
    yield
  }
  return users < USERS_MAX - 24 ? users : keys.size
}

/** Number of batches before the last one whose external exits are still withdrawn. */
const EXTERNAL_EXIT_BATCHES = 50

function addExits(wallets: Wallets, world: World, exits: ReadonlyArray<Exit>): void {
  const open = exits.filter(({ address }) => address !== INTERNAL_ADDRESS).map((exit) => ({
    exit: {
      batchNum: exit.batchNum,
      accountIndex: exit.accountIndex,
      tokenId: exit.tokenId,
      owner: exit.address,
      balance: exit.balance,
      // not later than the time of the request, which the ledger does not have
      requestedMs: exit.delayedWithdrawRequest === null ? null : world.block.timestampMs
    },
    publicKey: exit.publicKey
  }))
  const [own, external] = [true, false].map((isOwn) =>
    open.filter(({ publicKey }) => wallets.controls(publicKey) === isOwn).map(({ exit }) => exit)
  )
  world.openExits = own!.slice(-openExitsMax)
  world.externalExits = external!.filter(({ batchNum }) =>
    batchNum > world.lastBatchNum - EXTERNAL_EXIT_BATCHES
  ).map((exit) => ({ ...exit, instant: true, dueBlock: world.block.number + 1n }))
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
