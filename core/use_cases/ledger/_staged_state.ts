import type { Types } from "effect"
import type {
  Account,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  HeadFeed,
  NetworkVariables,
  Token,
  TokenId,
  Transaction
} from "../../domain/mod.ts"
import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../../encoding/mod.ts"
import {
  type BlockGap,
  type LedgerBase,
  type SnapshotId,
  type LedgerTotals,
  type NextItemIds,
  snapshotBlocks
} from "../../ports/mod.ts"

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
  /** Ascending by number. */
  readonly #blocks = new Map<bigint, EthereumBlock>()
  readonly #queues = new Map<number, Array<Transaction>>()
  readonly #transactions = new Set<TransactionId>()
  readonly #accounts = new Map<AccountIndex, Account>()
  readonly #publicKeys = new Set<PublicKey>()
  readonly #tokens = new Map<TokenId, Token>()
  readonly #tokenIds = new Map<EthereumAddress, TokenId>()
  readonly #registrations = new Map<EthereumAddress, Coordinator>()
  readonly #bestBids = new Map<number, Bid>()
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

  get snapshotId(): SnapshotId {
    return {
      ...snapshotBlocks(this.lastBlock.number, this.head),
      batchNum: this.lastBatchNum === 0 ? null : this.lastBatchNum,
      version: this.version
    }
  }

  get variables(): NetworkVariables {
    return this.#variables ?? this.#base.variables
  }

  readonly block = (number: bigint): EthereumBlock | undefined =>
    this.#blocks.get(number) ?? this.#base.block(number)

  readonly gapAt = (number: bigint): BlockGap | undefined => {
    let before = this.#base.lastBlock
    if (number <= before.number) return this.#base.gapAt(number)
    for (const block of this.#blocks.values()) {
      if (block.number >= number) {
        return block.number === number ? undefined : { before, after: block }
      }
      before = block
    }
    return undefined
  }

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
    this.#registrations.get(bidder) ?? this.#base.registration(bidder)

  readonly bestBid = (slotNum: number): Bid | undefined =>
    this.#bestBids.get(slotNum) ?? this.#base.bestBid(slotNum)

  readonly exit = (batchNum: number, index: AccountIndex): Exit | undefined =>
    this.#exits.get(exitKey(batchNum, index)) ?? this.#base.exit(batchNum, index)

  readonly requestedExits = (owner: EthereumAddress, tokenId: TokenId): ReadonlyArray<Exit> => {
    const requested = this.#base.requestedExits(owner, tokenId)
    const withdrawn = this.#withdrawn.get(ownerKey(owner, tokenId))
    return withdrawn === undefined
      ? requested
      : [
        ...requested.filter(({ itemId }) => !withdrawn.has(itemId)),
        ...[...withdrawn.values()].filter(isRequested)
      ].sort((a, b) => a.itemId - b.itemId)
  }

  readonly hasPublicKey = (key: PublicKey): boolean =>
    this.#publicKeys.has(key) || this.#base.hasPublicKey(key)

  readonly hasTransaction = (id: TransactionId): boolean =>
    this.#transactions.has(id) || this.#base.hasTransaction(id)

  addTransaction(id: TransactionId): void {
    this.#transactions.add(id)
  }

  addBlock(block: EthereumBlock): void {
    this.#blocks.set(block.number, block)
    this.lastBlock = block
  }

  addAccount(account: Account): void {
    const { index, publicKey } = account
    this.#accounts.set(index, account)
    this.lastAccountIndex = index
    this.totals.accounts++
    if (!this.hasPublicKey(publicKey)) this.totals.publicKeys++
    this.#publicKeys.add(publicKey)
  }

  setAccount(account: Account): void {
    this.#accounts.set(account.index, account)
  }

  addToken(token: Token): void {
    this.#tokens.set(token.id, token)
    this.#tokenIds.set(token.ethereumAddress, token.id)
    this.lastTokenId = token.id
  }

  setToken(token: Token): void {
    this.#tokens.set(token.id, token)
  }

  setRegistration(coordinator: Coordinator): void {
    this.#registrations.set(coordinator.bidderAddr, coordinator)
  }

  setBestBid(bid: Bid): void {
    this.#bestBids.set(bid.slotNum, bid)
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
const isRequested = (exit: Exit): boolean =>
  exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null
