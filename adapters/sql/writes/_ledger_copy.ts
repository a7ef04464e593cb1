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
} from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import type { BlockGap, LedgerStamp, LedgerView } from "../../../core/ports/mod.ts"
import type { OverlayStart } from "./_load_overlay.ts"

const exitKey = (batchNum: number, index: AccountIndex): string => `${batchNum}:${index}`
const ownerKey = (owner: EthereumAddress, tokenId: TokenId): string => `${owner}:${tokenId}`
const isRequested = (exit: Exit): boolean =>
  exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null
const mapBy = <Key, Row>(rows: ReadonlyArray<Row>, key: (row: Row) => Key): Map<Key, Row> =>
  new Map(rows.map((row) => [key(row), row]))
const later = (one: EthereumBlock | undefined, other: EthereumBlock): EthereumBlock =>
  one === undefined || other.number > one.number ? other : one
const earlier = (one: EthereumBlock | undefined, other: EthereumBlock): EthereumBlock =>
  one === undefined || other.number < one.number ? other : one

/** A copy, in memory, of the part of the ledger that some blocks refer to. */
export class LedgerCopy implements LedgerView {
  readonly start: OverlayStart
  stamp: LedgerStamp
  lastBlock: EthereumBlock
  lastEthereumBlock: bigint
  head: HeadFeed | null
  lastAccountIndex: AccountIndex
  lastTokenId: TokenId
  lastForgedQueue: number | null
  lastOpenQueue: number | null
  protected readonly blocks: Map<bigint, EthereumBlock>
  protected readonly queues = new Map<number, Array<Transaction>>()
  protected readonly accounts: Map<AccountIndex, Account>
  protected readonly tokens: Map<TokenId, Token>
  protected readonly tokenIds: Map<EthereumAddress, TokenId>
  protected readonly registrations: Map<EthereumAddress, Coordinator>
  protected readonly bestBids: Map<number, Bid>
  readonly #exits = new Map<string, Exit>()
  readonly #requested = new Map<string, Map<number, Exit>>()
  #variables: NetworkVariables | undefined

  constructor(start: OverlayStart) {
    this.start = start
    this.stamp = start.stamp
    this.lastBlock = start.lastBlock
    this.lastEthereumBlock = start.lastEthereumBlock
    this.head = start.head
    this.lastAccountIndex = start.lastAccountIndex
    this.lastTokenId = start.lastTokenId
    this.lastForgedQueue = start.lastForgedQueue
    this.lastOpenQueue = start.lastOpenQueue
    this.blocks = mapBy([...start.blocks, start.lastBlock], ({ number }) => number)
    for (const row of start.queued) this.queueOf(row.l1!.toForgeL1TransactionsNum!).push(row)
    this.accounts = mapBy(start.accounts, ({ index }) => index)
    this.tokens = mapBy(start.tokens, ({ id }) => id)
    this.tokenIds = new Map(start.tokens.map(({ ethereumAddress, id }) => [ethereumAddress, id]))
    this.registrations = mapBy(start.registrations, ({ bidderAddr }) => bidderAddr)
    this.bestBids = mapBy(start.bestBids, ({ slotNum }) => slotNum)
    for (const exit of start.exits) this.setExit(exit)
  }

  get lastBatchNum(): number {
    return this.stamp.batchNum ?? 0
  }
  get variables(): NetworkVariables {
    return this.#variables ??= this.start.variables()
  }

  readonly block = (number: bigint): EthereumBlock | undefined => this.blocks.get(number)
  /** `start.blocks` has the blocks around each number that the write refers to. */
  readonly gapAt = (number: bigint): BlockGap | undefined => {
    let [before, after]: ReadonlyArray<EthereumBlock | undefined> = []
    for (const block of this.blocks.values()) {
      if (block.number === number) return undefined
      if (block.number < number) before = later(before, block)
      else after = earlier(after, block)
    }
    return before === undefined || after === undefined ? undefined : { before, after }
  }
  readonly queue = (queue: number): ReadonlyArray<Transaction> => this.queues.get(queue) ?? []
  readonly account = (index: AccountIndex): Account | undefined => this.accounts.get(index)
  readonly token = (id: TokenId): Token | undefined => this.tokens.get(id)
  readonly tokenByAddress = (address: EthereumAddress): Token | undefined => {
    const id = this.tokenIds.get(address)
    return id === undefined ? undefined : this.tokens.get(id)
  }
  readonly registration = (bidder: EthereumAddress): Coordinator | undefined =>
    this.registrations.get(bidder)
  readonly bestBid = (slotNum: number): Bid | undefined => this.bestBids.get(slotNum)
  readonly exit = (batchNum: number, index: AccountIndex): Exit | undefined =>
    this.#exits.get(exitKey(batchNum, index))
  readonly requestedExits = (owner: EthereumAddress, tokenId: TokenId): ReadonlyArray<Exit> =>
    [...this.#requested.get(ownerKey(owner, tokenId))?.values() ?? []].sort((a, b) =>
      a.itemId - b.itemId
    )

  protected setVariables(changed: Partial<NetworkVariables>): void {
    this.#variables = { ...this.variables, ...changed }
  }

  protected setExit(exit: Exit): void {
    this.#exits.set(exitKey(exit.batchNum, exit.accountIndex), exit)
    const key = ownerKey(exit.address, exit.tokenId)
    if (isRequested(exit)) {
      const exits = this.#requested.get(key)
      if (exits === undefined) this.#requested.set(key, new Map([[exit.itemId, exit]]))
      else exits.set(exit.itemId, exit)
    } else this.#requested.get(key)?.delete(exit.itemId)
  }

  protected queueOf(queue: number): Array<Transaction> {
    let rows = this.queues.get(queue)
    if (rows === undefined) this.queues.set(queue, rows = [])
    return rows
  }
}
