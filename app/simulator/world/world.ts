import { type MerkleTree, merkleTree } from "../../../adapters/crypto/mod.ts"
import {
  type Account,
  type AuctionVariables,
  type BidFeed,
  type BlockFeed,
  type CoordinatorFeed,
  ether,
  type GenesisFeed,
  genesisVariables,
  type New,
  type PostedTransaction,
  type Token,
  type TokenId
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  FIRST_USER_ACCOUNT,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import type { BatchState, QueuedTransaction } from "../../../core/use_cases/mod.ts"
import type { EventSchedule } from "./event_schedule.ts"
import type { Settings } from "./options.ts"
import type { Random } from "./random.ts"
import type { Wallets } from "./wallets.ts"

/**
 * The state and services that all parts of the simulator share. Random numbers and the schedule
 * advance, and a rollback of the chain does not reset them.
 */
export interface Context {
  readonly settings: Settings
  readonly constants: GenesisFeed["constants"]
  readonly random: Random
  readonly schedule: EventSchedule
  readonly wallets: Wallets
}

/**
 * The tokens by their id, with their first price; null if no exchange trades the token. Contracts
 * choose any name, so some names are unusual.
 */
export const tokenCatalogue: ReadonlyArray<
  Pick<Token, "name" | "symbol" | "decimals" | "priceUSD">
> = [
  { name: "Ether", symbol: "ETH", decimals: 18, priceUSD: 3120.5 },
  { name: "Governance Token", symbol: "GOV", decimals: 18, priceUSD: 4.31 },
  { name: "Tether USD", symbol: "USDT", decimals: 6, priceUSD: 1 },
  { name: "Wrapped BTC", symbol: "WBTC", decimals: 8, priceUSD: 64250.75 },
  { name: "Eintrittskarte", symbol: "KARTE", decimals: 0, priceUSD: null },
  { name: "Dai Stablecoin", symbol: "DAI", decimals: 18, priceUSD: 0.9993 },
  { name: "", symbol: "", decimals: 3, priceUSD: 0.5 },
  { name: "Ratio of A and B", symbol: "A:B", decimals: 18, priceUSD: null },
  { name: "Ünïcödé – 点 🦊", symbol: "点", decimals: 12, priceUSD: 0.0000421 },
  { name: '100%_"Quoted" \\ \'it', symbol: "A-B.C", decimals: 18, priceUSD: null },
  { name: "ERC20_ETH_ERROR", symbol: "ERROR", decimals: 1, priceUSD: null },
  { name: "Gemini dollar", symbol: "GUSD", decimals: 2, priceUSD: 0.998 },
  { name: "tether usd", symbol: "USDT", decimals: 24, priceUSD: 1.01 },
  { name: "<b>&amp;</b>\t#1?", symbol: " :/?#&<%41> ", decimals: 9, priceUSD: 12 }
]

/** Number of sets of auction variables in use: more than the open slots refer to. */
export const auctionVariablesMax = 64

/** A queue of L1 user transactions that is not forged yet. */
export interface Queue {
  readonly number: number
  readonly transactions: ReadonlyArray<QueuedTransaction>
}

/** An exit that is not withdrawn yet. */
export interface OpenExit {
  readonly batchNum: number
  readonly accountIndex: AccountIndex
  readonly tokenId: TokenId
  readonly owner: EthereumAddress
  readonly balance: bigint
  /** Time of the block in which the owner requested a delayed withdrawal; null if not requested. */
  readonly requestedMs: number | null
  /** How and from which block on it is withdrawn, if the simulator does not control its wallet. */
  readonly external: { readonly isInstant: boolean; readonly dueBlock: bigint } | null
}

/**
 * A submitted transaction with the keys of the accounts that it was signed for: after a rollback
 * the same index can be another account.
 */
export interface SubmittedTransaction {
  readonly transaction: PostedTransaction
  readonly sender: PublicKey
  readonly toAccountIndex: AccountIndex
  /** Null for an exit, and if the account does not exist yet. */
  readonly receiver: PublicKey | null
}

/**
 * The state of the simulated chain after a block. Its items are replaced, never modified, so that a
 * copy of its collections is a snapshot for a rollback.
 */
export interface World {
  block: { readonly number: bigint; readonly hash: string; readonly timestampMs: number }
  /** Ascending by index, from `FIRST_USER_ACCOUNT`. */
  accounts: Array<New<Account>>
  /** Account indexes by token id. */
  accountsOfToken: Array<ReadonlyArray<AccountIndex>>
  tokens: Array<New<Token>>
  /** The queues from `nextQueue` that are not empty, ascending. */
  queues: Array<Queue>
  nextQueue: number
  lastBatchNum: number
  /** Number of users that have arrived. */
  users: number
  /** The accounts on which each coordinator collects fees, one per token. */
  feeAccounts: Map<PublicKey, ReadonlyArray<AccountIndex>>
  registrations: Map<EthereumAddress, CoordinatorFeed>
  /** The last slot in which a batch was forged; -1 before the first one. */
  lastForgedSlot: number
  /** The last slot whose forger forges nothing before the deadline; -1 if there was none. */
  absentSlot: number
  /** The best bid of each slot. */
  bids: Map<number, BidFeed>
  /** The newest open exits; older ones are never withdrawn, except external ones. */
  openExits: ReadonlyArray<OpenExit>
  variables: GenesisFeed["variables"]
  /** Auction variables from the newest to the oldest. */
  auctionVariables: ReadonlyArray<AuctionVariables>
  /** Number of forged transactions. */
  transactionCount: number
  /** The state tree; it stays empty if the state roots are placeholders. */
  tree: MerkleTree
}

/** Returns the state after the genesis block. */
export function worldOf(genesis: GenesisFeed): World {
  const { block, variables } = genesis
  return {
    block,
    accounts: [],
    accountsOfToken: [[]],
    tokens: [ether],
    queues: [],
    nextQueue: 0,
    lastBatchNum: 0,
    users: 0,
    feeAccounts: new Map(),
    registrations: new Map(),
    lastForgedSlot: -1,
    absentSlot: -1,
    bids: new Map(),
    openExits: [],
    variables,
    auctionVariables: [genesisVariables(genesis).auction],
    transactionCount: 0,
    tree: merkleTree([])
  }
}

/** Returns a copy that can be changed without changing the original. */
export const copyWorld = (world: World): World => ({
  ...world,
  accounts: world.accounts.slice(),
  accountsOfToken: world.accountsOfToken.slice(),
  tokens: world.tokens.slice(),
  queues: world.queues.slice(),
  feeAccounts: new Map(world.feeAccounts),
  registrations: new Map(world.registrations),
  bids: new Map(world.bids)
})

export const accountOf = (world: World, index: AccountIndex): New<Account> | undefined =>
  world.accounts[index - FIRST_USER_ACCOUNT]

export const lastAccountIndex = (world: World): AccountIndex =>
  FIRST_USER_ACCOUNT + world.accounts.length - 1

/** Returns the state that the rollup's state transition reads. */
export const batchStateOf = (world: World): BatchState => ({
  account: (index) => accountOf(world, index),
  token: (id) => world.tokens[id],
  lastAccountIndex: lastAccountIndex(world)
})

/** A block under construction. */
export type BlockDraft = { -readonly [Key in keyof BlockFeed]: BlockFeed[Key] }
