import type {
  Account,
  AuctionVariables,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  NetworkVariables,
  Token,
  Transaction
} from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../../../core/encoding/mod.ts"
import type { LedgerView } from "../../../core/ports/mod.ts"
import type { Auction } from "./_auction.ts"
import type { History } from "./_history.ts"
import type { Parameters } from "./_parameters.ts"
import type { Tokens } from "./_tokens.ts"

/** The parts of a ledger that decisions read. */
interface Parts {
  readonly lastBlock: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly block: (number: bigint) => EthereumBlock | undefined
  readonly history: History
  readonly tokens: Tokens
  readonly auction: Auction
  readonly parameters: Parameters
}

/** The ledger as a decision sees it: read where it lies, so it holds for as long as nothing is written. */
export class LiveView implements LedgerView {
  private readonly ledger: Parts
  constructor(ledger: Parts) {
    this.ledger = ledger
  }

  get lastBlock(): EthereumBlock {
    return this.ledger.lastBlock
  }
  get lastEthereumBlock(): bigint {
    return this.ledger.lastEthereumBlock
  }
  get lastBatchNum(): number {
    return this.ledger.history.lastBatchNum
  }
  get lastAccountIndex(): AccountIndex {
    return this.ledger.history.accounts.lastIndex
  }
  get lastTokenId(): number {
    return this.ledger.tokens.lastId
  }
  get lastForgedQueue(): number | null {
    return this.ledger.history.mark(this.lastBatchNum).lastForgedQueue
  }
  get lastOpenQueue(): number | null {
    return this.ledger.history.queues.last
  }
  get variables(): NetworkVariables {
    return this.ledger.parameters.current
  }
  get auctionVariables(): Iterable<AuctionVariables> {
    return this.ledger.parameters.auctionNewestFirst()
  }

  // properties, as the port has them: a use case may pass them on without the view
  readonly block = (number: bigint): EthereumBlock | undefined => this.ledger.block(number)
  readonly queue = (queue: number): ReadonlyArray<Transaction> =>
    this.ledger.history.queues.waiting(queue)
  readonly account = (index: AccountIndex): Account | undefined =>
    this.ledger.history.accounts.find(index)
  readonly token = (id: number): Token | undefined => this.ledger.tokens.find(id)
  readonly tokenByAddress = (address: EthereumAddress): Token | undefined =>
    this.ledger.tokens.findByAddress(address)
  readonly registration = (bidder: EthereumAddress): Coordinator | undefined =>
    this.ledger.auction.registration(bidder)
  readonly bestBid = (slotNum: number): Bid | undefined => this.ledger.auction.bestBid(slotNum)?.bid
  readonly requestedExits = (owner: EthereumAddress, tokenId: number): ReadonlyArray<Exit> =>
    this.ledger.history.exits.requestedBy(owner, tokenId)
  readonly exit = (batchNum: number, index: AccountIndex): Exit | undefined =>
    this.ledger.history.exit(batchNum, index)
}
