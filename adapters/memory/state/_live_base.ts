import type { LedgerBase, NextItemIds, SnapshotId } from "../../../core/ports/mod.ts"
import type { Auction } from "./_auction.ts"
import type { Blocks } from "./_blocks.ts"
import type { History } from "./_history.ts"
import type { Parameters } from "./_parameters.ts"
import type { Tokens } from "./_tokens.ts"

/** The parts of the state that decisions and staged ledgers read. */
interface Parts extends Pick<LedgerBase, "lastBlock" | "lastEthereumBlock" | "head"> {
  readonly snapshotId: SnapshotId
  readonly nextItemIds: NextItemIds
  readonly blocks: Blocks
  readonly history: History
  readonly tokens: Tokens
  readonly auction: Auction
  readonly parameters: Parameters
}

/** Returns the base of staged ledgers. It copies nothing and always shows the current state. */
export const liveBaseOf = (state: Parts): LedgerBase => {
  const { auction, blocks, history, parameters, tokens } = state
  return {
    get version() {
      return state.snapshotId.version
    },
    get next() {
      return state.nextItemIds
    },
    get totals() {
      return history.totalsAfter(history.lastBatchNum)
    },
    get totalQueued() {
      return history.queues.length
    },
    get lastBlock() {
      return state.lastBlock
    },
    get lastEthereumBlock() {
      return state.lastEthereumBlock
    },
    get head() {
      return state.head
    },
    get lastBatchNum() {
      return history.lastBatchNum
    },
    get lastAccountIndex() {
      return history.accounts.lastIndex
    },
    get lastTokenId() {
      return tokens.lastId
    },
    get lastForgedQueue() {
      return history.lastForgedQueue
    },
    get lastOpenQueue() {
      return history.queues.last
    },
    get variables() {
      return parameters.current
    },
    block: (number) => blocks.find(number),
    gapAt: (number) => blocks.gapAt(number),
    queue: (queue) => history.queues.transactionsIn(queue),
    account: (index) => history.accounts.find(index),
    token: (id) => tokens.find(id),
    tokenByAddress: (address) => tokens.findByAddress(address),
    registration: (bidder) => auction.registration(bidder),
    bestBid: (slotNum) => auction.bestBid(slotNum)?.bid,
    hasPublicKey: (key) => history.accounts.hasPublicKey(key),
    hasTransaction: (id) => history.hasTransaction(id),
    requestedExits: (owner, tokenId) => history.exits.requestedBy(owner, tokenId),
    exit: (batchNum, index) => history.exit(batchNum, index)
  }
}
