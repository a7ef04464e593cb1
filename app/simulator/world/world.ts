import type { MerkleTree } from "../../../adapters/crypto/mod.ts"
import type {
  Account,
  AuctionVariables,
  BlockFeed,
  CoordinatorFeed,
  GenesisFeed,
  New,
  PostedTransaction,
  Token,
  TokenId,
  Transaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  FIRST_USER_ACCOUNT,
  type PublicKey,
  ZERO_ADDRESS
} from "../../../core/encoding/mod.ts"
import type { BatchState } from "../../../core/use_cases/mod.ts"
import { ether } from "./token_catalogue.ts"

/** A queue of L1 user transactions that is not forged yet. */
export interface Queue {
  readonly number: number
  readonly transactions: ReadonlyArray<New<Transaction>>
}

/** An exit that has not left for good. */
export interface OpenExit {
  readonly batchNum: number
  readonly accountIndex: AccountIndex
  readonly tokenId: TokenId
  readonly owner: EthereumAddress
  /** Sent to the delayer. */
  readonly requested: boolean
}

/** An exit of a wallet that the simulator does not play. */
export interface ExternalExit extends OpenExit {
  /** At once, or by a request to the delayer. */
  readonly instant: boolean
  /** Number of the block in which it goes on. */
  readonly dueBlock: bigint
}

export interface BestBid {
  readonly bidder: EthereumAddress
  readonly value: bigint
}

/** A posted transaction, and what it was signed about: on a fork the same index can be another account. */
export interface SubmittedTransaction {
  readonly transaction: PostedTransaction
  readonly sender: PublicKey
  readonly toAccountIndex: AccountIndex
  /** Null for an exit, and where the account is still to be created. */
  readonly receiver: PublicKey | null
}

/**
 * The simulator's own picture of the chain after a block. What it holds is never changed in place, only replaced, so a copy of the
 * containers is a snapshot to come back to when the chain rolls back.
 */
export interface World {
  block: { readonly number: bigint; readonly hash: string; readonly timestampMs: number }
  /** By index, the first one being 256. */
  accounts: Array<New<Account>>
  /** Indexes by token id. */
  accountsOfToken: Array<ReadonlyArray<AccountIndex>>
  tokens: Array<New<Token>>
  /** Queues from `nextQueue` on that hold something, ascending. */
  queues: Array<Queue>
  nextQueue: number
  lastBatchNum: number
  /** Users that have appeared. */
  users: number
  /** On which a coordinator collects fees, one of each token. */
  feeAccounts: Map<PublicKey, ReadonlyArray<AccountIndex>>
  registrations: Map<EthereumAddress, CoordinatorFeed>
  bids: Map<number, BestBid>
  /** The newest ones; older exits are left alone for good. */
  openExits: Array<OpenExit>
  externalExits: ReadonlyArray<ExternalExit>
  variables: GenesisFeed["variables"]
  /** Auction variables from the newest to the oldest. */
  auctionVariables: ReadonlyArray<AuctionVariables>
  /** Forged so far. */
  transactionCount: number
  /** Names the accounts as they are: the digest of all changes, one batch after the other. */
  stateKey: string
  /** Of the accounts; undefined as long as every root asked for was recorded. */
  tree: MerkleTree | undefined
}

export function worldOf({ block, variables }: GenesisFeed): World {
  const token = {
    ...ether,
    id: 0,
    ethereumAddress: ZERO_ADDRESS,
    ethereumBlockNum: 0n,
    priceUSD: null,
    priceTimeMs: null
  }
  return {
    block,
    accounts: [],
    accountsOfToken: [[]],
    tokens: [token],
    queues: [],
    nextQueue: 0,
    lastBatchNum: 0,
    users: 0,
    feeAccounts: new Map(),
    registrations: new Map(),
    bids: new Map(),
    openExits: [],
    externalExits: [],
    variables,
    auctionVariables: [{ ...variables.auction, ethereumBlockNum: block.number }],
    transactionCount: 0,
    stateKey: "",
    tree: undefined
  }
}

/** A world that can be changed without touching the one it comes from. */
export const copyWorld = (world: World): World => ({
  ...world,
  accounts: world.accounts.slice(),
  accountsOfToken: world.accountsOfToken.slice(),
  tokens: world.tokens.slice(),
  queues: world.queues.slice(),
  feeAccounts: new Map(world.feeAccounts),
  registrations: new Map(world.registrations),
  bids: new Map(world.bids),
  openExits: world.openExits.slice()
})

export const accountOf = (world: World, index: AccountIndex): New<Account> | undefined =>
  world.accounts[index - FIRST_USER_ACCOUNT]

export const lastAccountIndex = (world: World): AccountIndex =>
  FIRST_USER_ACCOUNT + world.accounts.length - 1

/** The world as the rollup's state transition sees it. */
export const batchStateOf = (world: World): BatchState => ({
  account: (index) => accountOf(world, index),
  token: (id) => world.tokens[id],
  lastAccountIndex: lastAccountIndex(world)
})

export function addAccount(world: World, account: New<Account>): void {
  world.accounts.push(account)
  world.accountsOfToken[account.tokenId] = [
    ...world.accountsOfToken[account.tokenId] ?? [],
    account.index
  ]
}

/** A block while it is put together. */
export type BlockDraft = { -readonly [Key in keyof BlockFeed]: BlockFeed[Key] }
