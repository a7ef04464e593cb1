import { Result } from "effect"
import {
  type AuctionClock,
  auctionClock,
  type BlockChanges,
  ether,
  type EthereumBlock,
  type GenesisFeed,
  type PriceFeed
} from "../../../core/domain/mod.ts"
import {
  type Decision,
  type LedgerPart,
  type LedgerSnapshot,
  type LedgerStamp,
  type LedgerView,
  noPartChanged,
  partsOfBlock,
  RecentSnapshots,
  type RollBackReport,
  withVersion
} from "../../../core/ports/mod.ts"
import { Auction } from "./_auction.ts"
import { assertPrices, assertStorable } from "./_assert_changes.ts"
import { frozenCopy } from "../_frozen_copy.ts"
import { History } from "./_history.ts"
import { LiveView } from "./_live_view.ts"
import { Parameters, type ParameterCounts } from "./_parameters.ts"
import { firstNot } from "../_binary_search.ts"
import { Tokens } from "./_tokens.ts"

/** What opens a ledger: the network it belongs to, and the bounds of the fee it recommends. */
export interface LedgerOptions {
  readonly genesis: GenesisFeed
  /** 0 by default. */
  readonly minFeeUSD?: number
  /** No bound by default. */
  readonly maxFeeUSD?: number
}

/** A block and how much there was before it. */
interface StoredBlock {
  readonly block: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly batches: number
  readonly queued: number
  readonly tokens: number
  readonly prices: number
  readonly coordinators: number
  readonly bids: number
  readonly withdrawals: number
  readonly parameters: ParameterCounts
}

/**
 * The whole ledger in memory. Every structure grows at its end only and logs what it overwrites, so that a block is
 * dropped by cutting each of them back to where it stood before the block, at the cost of what is dropped.
 */
export class LedgerState {
  readonly genesis: GenesisFeed
  readonly minFeeUSD: number
  readonly maxFeeUSD: number
  readonly history = new History()
  readonly tokens = new Tokens()
  readonly auction = new Auction()
  readonly parameters: Parameters
  private readonly blocks: Array<StoredBlock> = []
  readonly view: LedgerView
  private readonly snapshots = new RecentSnapshots()
  private snapshot: LedgerSnapshot

  constructor({ genesis, minFeeUSD = 0, maxFeeUSD = Infinity }: LedgerOptions) {
    this.genesis = frozenCopy(genesis)
    this.minFeeUSD = minFeeUSD
    this.maxFeeUSD = maxFeeUSD
    this.parameters = new Parameters(this.genesis)
    this.tokens.add(ether)
    this.pushBlock(this.genesis.block, genesis.block.number)
    this.view = new LiveView(this)
    this.snapshot = this.snapshotOf(0)
    this.snapshots.note(this.snapshot)
  }

  /** Names what is stored now. */
  get stamp(): LedgerStamp {
    return this.snapshot.stamp
  }

  /** What a version of the last ones changed last; null where it is none of them. */
  snapshotAt(version: number): LedgerSnapshot | null {
    return this.snapshots.at(version)
  }

  get lastBlock(): EthereumBlock {
    return this.blocks.at(-1)!.block
  }

  /** Newest block of the chain that the writer knew of when it wrote the last block. */
  get lastEthereumBlock(): bigint {
    return this.blocks.at(-1)!.lastEthereumBlock
  }

  /** Where the auctions stand at the last block. */
  get clock(): AuctionClock {
    return auctionClock(
      this.genesis.constants.auction,
      this.parameters.current.auction,
      this.lastBlock.number
    )
  }

  block(number: bigint): EthereumBlock | undefined {
    const found = this.blocks[this.firstBlockFrom(number)]?.block
    return found?.number === number ? found : undefined
  }

  /** Writes what `decide` makes of the ledger as it stands; what cannot be stored throws and changes nothing. */
  apply<E>(
    decide: (view: LedgerView) => Result.Result<Decision, E>
  ): Result.Result<{ readonly applied: boolean; readonly stamp: LedgerStamp }, E> {
    return Result.map(decide(this.view), (decision) => {
      if (decision.kind === "alreadyStored") return { applied: false, stamp: this.stamp }
      assertStorable(this, decision.changes)
      this.write(decision.changes)
      return {
        applied: true,
        stamp: this.newStamp(1 + decision.changes.batches.length, partsOfBlock(decision.changes))
      }
    })
  }

  /** Until the steps that it returns are done, or somebody asks for transactions, these are stored and not indexed. */
  postponeIndex(): Iterable<void> {
    this.history.transactions.postpone()
    return { [Symbol.iterator]: () => this.history.transactions.fileAll() }
  }

  /** Drops every block above; the genesis block stays. */
  rollBack<E>(
    toBlock: bigint,
    check: (view: LedgerView) => Result.Result<void, E>
  ): Result.Result<RollBackReport, E> {
    return Result.map(check(this.view), () => {
      const left = Math.max(1, this.firstBlockFrom(toBlock + 1n))
      const blocks = this.blocks.length - left
      const batchesBefore = this.history.lastBatchNum
      const first = this.blocks[left]
      if (first !== undefined) this.cutBack(first)
      this.blocks.length = left
      const { lastBatchNum } = this.history
      return {
        toBlock,
        blocks,
        batches: batchesBefore - lastBatchNum,
        lastBatchNum,
        stamp: this.newStamp(1, blocks === 0 ? [] : ["rollBacks"])
      }
    })
  }

  /** The prices belong to the last block: its mark stands before them. */
  setPrices<E>(
    prices: ReadonlyArray<PriceFeed>,
    check: (view: LedgerView) => Result.Result<void, E>
  ): Result.Result<LedgerStamp, E> {
    return Result.map(check(this.view), () => {
      assertPrices(this, prices, this.tokens.lastId)
      for (const price of prices) this.tokens.setPrice(price)
      return this.newStamp(1, prices.length === 0 ? [] : ["tokens"])
    })
  }

  private write(changes: BlockChanges): void {
    const { history, tokens, auction } = this
    const { number } = changes.block
    this.pushBlock(changes.block, changes.lastEthereumBlock)
    for (const coordinator of changes.coordinators) auction.register(coordinator)
    for (const token of changes.tokens) tokens.add(token)
    for (const price of changes.prices) tokens.setPrice(price)
    for (const queued of changes.queued) history.enqueue(queued)
    for (const batch of changes.batches) history.add(batch)
    for (const bid of changes.bids) auction.bid(bid)
    this.parameters.set(changes.variables)
    for (const { batchNum, accountIndex, field } of changes.withdrawals) {
      history.exits.withdraw(
        history.exits.positionIn(history.exitsOf(batchNum), accountIndex),
        field,
        number
      )
    }
  }

  /** Undoes in the reverse order of writing where one structure refers to another. */
  private cutBack(to: StoredBlock): void {
    this.history.exits.undoWithdrawals(to.withdrawals)
    this.parameters.truncate(to.parameters)
    this.auction.truncateBids(to.bids)
    this.history.truncate(to.batches)
    this.history.queues.truncate(to.queued)
    this.tokens.truncate(to.tokens, to.prices)
    this.auction.truncateCoordinators(to.coordinators)
  }

  private pushBlock(block: EthereumBlock, lastEthereumBlock: bigint): void {
    this.blocks.push({
      block: Object.freeze({ ...block }),
      lastEthereumBlock,
      batches: this.history.lastBatchNum,
      queued: this.history.queues.length,
      tokens: this.tokens.table.length,
      prices: this.tokens.prices,
      coordinators: this.auction.coordinators.length,
      bids: this.auction.bids.length,
      withdrawals: this.history.exits.withdrawals,
      parameters: this.parameters.mark
    })
  }

  private firstBlockFrom(number: bigint): number {
    return firstNot(0, this.blocks.length, (index) => this.blocks[index]!.block.number < number)
  }

  private newStamp(growth: number, changed: ReadonlyArray<LedgerPart>): LedgerStamp {
    this.snapshot = this.snapshotOf(this.snapshot.stamp.version + growth, changed)
    this.snapshots.note(this.snapshot)
    return this.snapshot.stamp
  }

  private snapshotOf(version: number, changed: ReadonlyArray<LedgerPart> = []): LedgerSnapshot {
    const { lastBatchNum } = this.history
    return {
      stamp: Object.freeze({
        ethereumBlockNum: this.lastBlock.number,
        batchNum: lastBatchNum === 0 ? null : lastBatchNum,
        version
      }),
      parts: version === 0 ? noPartChanged : withVersion(this.snapshot.parts, changed, version)
    }
  }
}
