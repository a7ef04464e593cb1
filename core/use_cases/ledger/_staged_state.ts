import type { Types } from "effect"
import {
  type Account,
  type Bid,
  type Coordinator,
  type EthereumBlock,
  type Exit,
  type HeadFeed,
  isRequestedWithdraw,
  type NetworkVariables,
  type Token,
  type TokenId,
  type Transaction
} from "../../domain/mod.ts"
import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../../encoding/mod.ts"
import {
  type BlockGap,
  type LedgerBase,
  type LedgerTotals,
  type NextItemIds
} from "../../ports/mod.ts"

import { gapBetween } from "../block/mod.ts"

/** Returns the error for changes that violate an invariant of the tables: a defect of the caller. */
export const notStorable = (violation: string): Error =>
  new Error(`Cannot store the block: ${violation}`)

/** The ledger after the blocks placed so far: their rows, and those of the base below. */
export class StagedState implements LedgerBase {
  readonly #base: LedgerBase
  readonly next: Types.Mutable<NextItemIds>
  readonly totals: Types.Mutable<LedgerTotals>
  version: number
  lastBlock: EthereumBlock
  lastEthereumBlock: bigint
  head: HeadFeed | null
  lastBatchNum: number
  lastAccountIndex: AccountIndex
  lastTokenId: TokenId
  lastForgedQueue: number | null
  lastOpenQueue: number | null
  totalQueued: number
  readonly transactions = new Set<TransactionId>()
  /** By the address of the bidder. */
  readonly registrations = new Map<EthereumAddress, Coordinator>()
  /** By the number of the slot. */
  readonly bestBids = new Map<number, Bid>()
  /** Ascending by number. */
  readonly #blocks = new Map<bigint, EthereumBlock>()
  readonly #queues = new Map<number, Array<Transaction>>()
  readonly #accounts = new Map<AccountIndex, Account>()
  readonly #publicKeys = new Set<PublicKey>()
  readonly #tokens = new Map<TokenId, Token>()
  readonly #tokenIds = new Map<EthereumAddress, TokenId>()
  readonly #exits = new Map<string, Exit>()
  /** The withdrawn exits of an owner and token, by item id. */
  readonly #withdrawn = new Map<string, Map<number, Exit>>()
  #variables: NetworkVariables | undefined

  constructor(base: LedgerBase) {
    this.#base = base
    this.next = { ...base.next }
    this.totals = { ...base.totals }
    this.version = base.version
    this.lastBlock = base.lastBlock
    this.lastEthereumBlock = base.lastEthereumBlock
    this.head = base.head
    this.lastBatchNum = base.lastBatchNum
    this.lastAccountIndex = base.lastAccountIndex
    this.lastTokenId = base.lastTokenId
    this.lastForgedQueue = base.lastForgedQueue
    this.lastOpenQueue = base.lastOpenQueue
    this.totalQueued = base.totalQueued
  }

  get variables(): NetworkVariables {
    return this.#variables ?? this.#base.variables
  }

  readonly block = (number: bigint): EthereumBlock | undefined =>
    this.#blocks.get(number) ?? this.#base.block(number)

  readonly gapAt = (number: bigint): BlockGap | undefined =>
    number < this.#base.lastBlock.number
      ? this.#base.gapAt(number)
      : gapBetween([this.#base.lastBlock, ...this.#blocks.values()], number)

  readonly queue = (queue: number): ReadonlyArray<Transaction> =>
    this.#queues.get(queue) ?? this.#base.queue(queue)

  readonly account = (index: AccountIndex): Account | undefined =>
    this.#accounts.get(index) ?? this.#base.account(index)

  readonly token = (id: TokenId): Token | undefined => this.#tokens.get(id) ?? this.#base.token(id)

  readonly tokenByAddress = (address: EthereumAddress): Token | undefined => {
    const id = this.#tokenIds.get(address) ?? this.#base.tokenByAddress(address)?.id
    return id === undefined ? undefined : this.token(id)
  }

  readonly registration = (bidder: EthereumAddress): Coordinator | undefined =>
    this.registrations.get(bidder) ?? this.#base.registration(bidder)

  readonly bestBid = (slotNum: number): Bid | undefined =>
    this.bestBids.get(slotNum) ?? this.#base.bestBid(slotNum)

  readonly exit = (batchNum: number, index: AccountIndex): Exit | undefined =>
    this.#exits.get(exitKey(batchNum, index)) ?? this.#base.exit(batchNum, index)

  readonly requestedExits = (owner: EthereumAddress, tokenId: TokenId): ReadonlyArray<Exit> => {
    const requested = this.#base.requestedExits(owner, tokenId)
    const withdrawn = this.#withdrawn.get(ownerKey(owner, tokenId))
    return withdrawn === undefined
      ? requested
      : [
        ...requested.filter(({ itemId }) => !withdrawn.has(itemId)),
        ...[...withdrawn.values()].filter(isRequestedWithdraw)
      ].sort((a, b) => a.itemId - b.itemId)
  }

  readonly hasPublicKey = (key: PublicKey): boolean =>
    this.#publicKeys.has(key) || this.#base.hasPublicKey(key)

  readonly hasTransaction = (id: TransactionId): boolean =>
    this.transactions.has(id) || this.#base.hasTransaction(id)

  addBlock(block: EthereumBlock): void {
    this.#blocks.set(block.number, block)
    this.lastBlock = block
  }

  /** Adds the next account, or replaces one. */
  setAccount(account: Account): void {
    const { index, publicKey } = account
    this.#accounts.set(index, account)
    if (index <= this.lastAccountIndex) return
    this.lastAccountIndex = index
    this.totals.accounts++
    if (!this.hasPublicKey(publicKey)) this.totals.publicKeys++
    this.#publicKeys.add(publicKey)
  }

  /** Adds the next token, or replaces one. */
  setToken(token: Token): void {
    this.#tokens.set(token.id, token)
    this.#tokenIds.set(token.ethereumAddress, token.id)
    this.lastTokenId = Math.max(this.lastTokenId, token.id)
  }

  setVariables(changed: Partial<NetworkVariables>): void {
    if (Object.keys(changed).length > 0) this.#variables = { ...this.variables, ...changed }
  }

  addExit(exit: Exit): void {
    this.#exits.set(exitKey(exit.batchNum, exit.accountIndex), exit)
  }

  setWithdrawn(exit: Exit): void {
    this.addExit(exit)
    const key = ownerKey(exit.address, exit.tokenId)
    const withdrawn = this.#withdrawn.get(key)
    if (withdrawn === undefined) this.#withdrawn.set(key, new Map([[exit.itemId, exit]]))
    else withdrawn.set(exit.itemId, exit)
  }

  enqueue(queue: number, transaction: Transaction): void {
    const rows = this.#queues.get(queue)
    if (rows === undefined) this.#queues.set(queue, [...this.#base.queue(queue), transaction])
    else rows.push(transaction)
    this.lastOpenQueue = Math.max(queue, this.lastOpenQueue ?? 0)
    this.totalQueued++
  }

  /** Empties a queue that a batch forges. */
  clearQueue(queue: number): void {
    this.#queues.set(queue, [])
    // queues are forged in order, so no lower one has transactions
    if (this.lastOpenQueue !== null && queue >= this.lastOpenQueue) this.lastOpenQueue = null
    this.lastForgedQueue = Math.max(queue, this.lastForgedQueue ?? queue)
  }
}

const exitKey = (batchNum: number, index: AccountIndex): string => `${batchNum}:${index}`
const ownerKey = (owner: EthereumAddress, tokenId: TokenId): string => `${owner}:${tokenId}`
