import type {
  Account,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  HeadFeed,
  NetworkVariables,
  Token,
  Transaction
} from "../../../core/domain/mod.ts"
import type {
  AccountIndex,
  EthereumAddress,
  PublicKey,
  TransactionId
} from "../../../core/encoding/mod.ts"
import type {
  BlockGap,
  LedgerBase,
  SnapshotId,
  LedgerTotals,
  NextItemIds
} from "../../../core/ports/mod.ts"
import type { Auction } from "./_auction.ts"
import type { Blocks } from "./_blocks.ts"
import type { History } from "./_history.ts"
import type { Parameters } from "./_parameters.ts"
import type { Tokens } from "./_tokens.ts"

/** The parts of the state that decisions and staged ledgers read. */
interface Parts {
  readonly snapshotId: SnapshotId
  readonly nextItemIds: NextItemIds
  readonly lastBlock: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly head: HeadFeed | null
  readonly blocks: Blocks
  readonly history: History
  readonly tokens: Tokens
  readonly auction: Auction
  readonly parameters: Parameters
}

/** The base of staged ledgers. It copies nothing and always shows the current state. */
export class LiveView implements LedgerBase {
  private readonly state: Parts
  constructor(state: Parts) {
    this.state = state
  }

  get version(): number {
    return this.state.snapshotId.version
  }
  get next(): NextItemIds {
    return this.state.nextItemIds
  }
  get totals(): LedgerTotals {
    return this.state.history.totalsAfter(this.lastBatchNum)
  }
  get totalQueued(): number {
    return this.state.history.queues.length
  }
  get lastBlock(): EthereumBlock {
    return this.state.lastBlock
  }
  get lastEthereumBlock(): bigint {
    return this.state.lastEthereumBlock
  }
  get head(): HeadFeed | null {
    return this.state.head
  }
  get lastBatchNum(): number {
    return this.state.history.lastBatchNum
  }
  get lastAccountIndex(): AccountIndex {
    return this.state.history.accounts.lastIndex
  }
  get lastTokenId(): number {
    return this.state.tokens.lastId
  }
  get lastForgedQueue(): number | null {
    return this.state.history.lastForgedQueue
  }
  get lastOpenQueue(): number | null {
    return this.state.history.queues.last
  }
  get variables(): NetworkVariables {
    return this.state.parameters.current
  }

  // function properties as in the port: use cases pass them on without the view
  readonly block = (number: bigint): EthereumBlock | undefined => this.state.blocks.find(number)
  readonly gapAt = (number: bigint): BlockGap | undefined => this.state.blocks.gapAt(number)
  readonly queue = (queue: number): ReadonlyArray<Transaction> =>
    this.state.history.queues.transactionsIn(queue)
  readonly account = (index: AccountIndex): Account | undefined =>
    this.state.history.accounts.find(index)
  readonly token = (id: number): Token | undefined => this.state.tokens.find(id)
  readonly tokenByAddress = (address: EthereumAddress): Token | undefined =>
    this.state.tokens.findByAddress(address)
  readonly registration = (bidder: EthereumAddress): Coordinator | undefined =>
    this.state.auction.registration(bidder)
  readonly bestBid = (slotNum: number): Bid | undefined => this.state.auction.bestBid(slotNum)?.bid
  readonly hasPublicKey = (key: PublicKey): boolean => this.state.history.accounts.hasPublicKey(key)
  readonly hasTransaction = (id: TransactionId): boolean => this.state.history.hasTransaction(id)
  readonly requestedExits = (owner: EthereumAddress, tokenId: number): ReadonlyArray<Exit> =>
    this.state.history.exits.requestedBy(owner, tokenId)
  readonly exit = (batchNum: number, index: AccountIndex): Exit | undefined =>
    this.state.history.exit(batchNum, index)
}
