import { Result } from "effect"
import {
  type AuctionClock,
  auctionClock,
  type BlockReference,
  type EthereumBlock,
  type GenesisFeed,
  type HeadFeed,
  type PriceFeed,
  type RecommendedFeeOptions
} from "../../../core/domain/mod.ts"
import {
  type BlockReport,
  type Decision,
  type LedgerBase,
  type LedgerPart,
  ledgerParts,
  type LedgerSnapshot,
  type SnapshotId,
  type PriorLedger,
  type NextItemIds,
  noPartChanged,
  type PlacedBlock,
  type PlacedHead,
  type PlacedPrices,
  RecentSnapshots,
  type RollBackReport,
  snapshotIdOf,
  withVersion
} from "../../../core/ports/mod.ts"
import { placeGenesis, placeRollBack, StagedLedger } from "../../../core/use_cases/mod.ts"
import { Auction } from "./_auction.ts"
import { Blocks } from "./_blocks.ts"
import { History } from "./_history.ts"
import { liveBaseOf } from "./_live_base.ts"
import { Parameters } from "./_parameters.ts"
import { RollBacks, type RollBackTime } from "./_roll_backs.ts"
import { frozenCopy } from "./_frozen.ts"
import { Tokens } from "./_tokens.ts"
import type { LedgerImage, StoredBlock } from "./ledger_image.ts"

/** The network of a ledger, and the options of the fee that it recommends. */
export interface LedgerOptions extends RecommendedFeeOptions {
  readonly genesis: GenesisFeed
}

/**
 * The complete state of a ledger in memory. Each structure grows only at its end and keeps an undo
 * log of the values that it replaces. So a rollback truncates each structure to its length before
 * the block, and costs as much as the dropped rows.
 */
export class LedgerState {
  readonly genesis: GenesisFeed
  readonly fees: RecommendedFeeOptions
  readonly history = new History()
  readonly tokens = new Tokens()
  readonly auction = new Auction((slotNum) => this.parameters.auctionOf(slotNum))
  readonly parameters: Parameters
  readonly blocks = new Blocks()
  readonly rollBacks = new RollBacks()
  /** The last block that no rollback can remove; no feed declares one yet. */
  finalBlock: BlockReference | null = null
  /** The last head, unless a rollback removed it. */
  head: HeadFeed | null = null
  /** Number of versions that heads added. */
  private headVersions = 0
  nextItemIds: NextItemIds
  /** What decisions read, and the base of staged ledgers. It shows the current state. */
  readonly base: LedgerBase
  private readonly snapshots = new RecentSnapshots()
  private snapshot: LedgerSnapshot

  constructor({ genesis, ...fees }: LedgerOptions) {
    this.genesis = frozenCopy(genesis)
    this.fees = fees
    const { block, lastEthereumBlock, next, token, variables } = placeGenesis(genesis)
    this.parameters = new Parameters(variables)
    this.tokens.add(token)
    this.pushBlock(block, lastEthereumBlock)
    this.nextItemIds = next
    this.base = liveBaseOf(this)
    this.snapshot = { snapshotId: this.snapshotIdOf(0), parts: noPartChanged }
    this.snapshots.note(this.snapshot)
  }

  /** Returns the complete state for a checkpoint, which later writes do not change. */
  capture(): LedgerImage {
    const { auction, history, tokens } = this
    return {
      version: this.snapshotId.version,
      parts: this.snapshot.parts,
      headVersions: this.headVersions,
      nextItemIds: this.nextItemIds,
      lists: {
        blocks: this.blocks.list(),
        heads: this.head === null ? [] : [this.head],
        rollBacks: this.rollBacks.list(),
        finalBlocks: this.finalBlock === null ? [] : [this.finalBlock],
        ...history.lists(),
        ...tokens.lists(),
        ...auction.lists(),
        ...this.parameters.lists()
      }
    }
  }

  /** Sets the state of a new ledger of the same network; call `postponeIndexing` before. */
  restore({ headVersions, lists, nextItemIds, parts, version }: LedgerImage): void {
    const { auction, history, tokens } = this
    this.blocks.restore(lists.blocks)
    this.head = lists.heads[0] ?? null
    this.rollBacks.restore(lists.rollBacks)
    this.finalBlock = lists.finalBlocks[0] ?? null
    this.headVersions = headVersions
    tokens.restore(lists)
    this.parameters.restore(lists.variables)
    auction.restore(lists)
    history.restore(lists)
    this.nextItemIds = nextItemIds
    this.snapshot = { snapshotId: this.snapshotIdOf(version), parts: Object.freeze(parts) }
    this.snapshots.note(this.snapshot)
  }

  /** Identifies the current state. */
  get snapshotId(): SnapshotId {
    return this.snapshot.snapshotId
  }

  /** Returns the snapshot of a recent version; null if it is not recent. */
  snapshotAt(version: number): LedgerSnapshot | null {
    return this.snapshots.at(version)
  }

  get lastBlock(): EthereumBlock {
    return this.blocks.last.block
  }

  /** Newest block of the chain that the writer knew when it wrote the last block. */
  get lastEthereumBlock(): bigint {
    return this.blocks.last.lastEthereumBlock
  }

  /** The block up to which the ledger is synchronised: the head if it is above the last block. */
  get synchedBlock(): EthereumBlock {
    return this.head !== null && this.head.number > this.lastBlock.number
      ? this.head
      : this.lastBlock
  }

  /** The state of the auctions at the block up to which the ledger is synchronised. */
  get clock(): AuctionClock {
    return auctionClock(
      this.genesis.constants.auction,
      this.parameters.current.auction,
      this.synchedBlock.number
    )
  }

  /**
   * Stores the changes that `decide` returns, or fails as it does. Throws, and changes nothing, if
   * the changes do not fit the ledger, such as a batch that is not the next one.
   */
  apply<E>(
    decide: (prior: PriorLedger) => Result.Result<Decision, E>
  ): Result.Result<BlockReport, E> {
    return Result.map(decide(this.base), (decision) => {
      if (decision.kind === "alreadyStored") return { applied: false, snapshotId: this.snapshotId }
      const placed = new StagedLedger(this.base).place(decision.changes)
      return { applied: true, snapshotId: this.insert(placed), placed }
    })
  }

  /**
   * Stores what was placed on a staged ledger over `base`, and returns the snapshot id after it. Throws
   * if the ledger has changed since.
   */
  insert(placed: PlacedBlock | PlacedPrices | PlacedHead): SnapshotId {
    const growth = placed.kind === "block" ? 1 + placed.batches.length : 1
    if (placed.snapshotId.version !== this.snapshotId.version + growth) {
      throw new Error(
        `Cannot store version ${placed.snapshotId.version} of the ledger after version ${this.snapshotId.version}`
      )
    }
    if (placed.kind === "block") this.insertBlock(placed)
    else if (placed.kind === "prices") this.tokens.setPrices(placed.prices)
    else {
      this.head = Object.freeze({ ...placed.head })
      this.headVersions++
    }
    return this.changeTo(placed.snapshotId, placed.parts)
  }

  /**
   * Stops indexing transactions, so that a long history is loaded faster. Iterate over the result
   * at the end: each step indexes some thousand transactions. A query in between indexes them all.
   */
  postponeIndexing(): Iterable<void> {
    this.history.transactions.postponeIndexing()
    return { [Symbol.iterator]: () => this.history.transactions.indexPostponed() }
  }

  /**
   * Drops every block above `toBlock`, but not the genesis block, and a head above it, if `check`
   * succeeds. Records its time, and the version after it, which is by default the next one.
   */
  rollBack<E>(
    toBlock: bigint,
    check: (prior: PriorLedger) => Result.Result<void, E>,
    { timeMs, version }: RollBackTime
  ): Result.Result<RollBackReport, E> {
    return Result.map(check(this.base), () => {
      const blocksLeft = Math.max(1, this.blocks.firstFrom(toBlock + 1n))
      const firstDropped = this.blocks.at(blocksLeft)
      const { entry, head, parts, report, snapshotId } = placeRollBack(this.base, {
        toBlock,
        lastBlock: this.blocks.at(blocksLeft - 1)!.block,
        lastBatchNum: firstDropped?.batches ?? this.history.lastBatchNum,
        blocks: this.blocks.length - blocksLeft,
        timeMs
      })
      if (firstDropped !== undefined) this.undoFrom(firstDropped)
      this.blocks.truncate(blocksLeft)
      this.head = head
      if (entry !== null) this.rollBacks.add({ ...entry, version: version ?? entry.version })
      this.changeTo(snapshotId, parts)
      return report
    })
  }

  /**
   * Sets prices of tokens if `check` succeeds. They belong to the last block, and a rollback of that
   * block removes them. Throws if a token is unknown.
   */
  setPrices<E>(
    prices: ReadonlyArray<PriceFeed>,
    check: (prior: PriorLedger) => Result.Result<void, E>
  ): Result.Result<SnapshotId, E> {
    return Result.map(
      check(this.base),
      () => this.insert(new StagedLedger(this.base).setPrices(prices))
    )
  }

  /** Replaces the head if `check` succeeds. */
  setHead<E>(
    head: HeadFeed,
    check: (prior: PriorLedger) => Result.Result<void, E>
  ): Result.Result<SnapshotId, E> {
    return Result.map(
      check(this.base),
      () => this.insert(new StagedLedger(this.base).setHead(head))
    )
  }

  /**
   * Replaces the head by the last one of several, after which the ledger had `version`. Every part
   * then counts as changed: the versions of the others are not known.
   */
  restoreHead(head: HeadFeed | null, version: number): void {
    this.head = head === null ? null : Object.freeze({ ...head })
    const growth = version - this.snapshotId.version
    this.headVersions += growth
    this.changeTo(this.snapshotIdOf(this.snapshotId.version + growth), ledgerParts)
  }

  private insertBlock(placed: PlacedBlock): void {
    const { auction, history, parameters, tokens } = this
    const { variables } = placed
    this.pushBlock(placed.block, placed.lastEthereumBlock)
    for (const coordinator of placed.coordinators) auction.register(coordinator)
    for (const token of placed.tokens) tokens.add(token)
    tokens.setPrices(placed.prices)
    for (const queued of placed.queued) history.queues.enqueue(queued)
    for (const batch of placed.batches) history.addBatch(batch)
    for (const bid of placed.bids) auction.bid(bid)
    if (variables.auction === undefined) parameters.set(variables)
    else {
      const { defaultSlotSetBidSlotNum } = variables.auction
      auction.changeDefaultBids(defaultSlotSetBidSlotNum, () => parameters.set(variables))
    }
    for (const withdrawal of placed.withdrawals) history.exits.withdraw(withdrawal)
    this.nextItemIds = placed.next
  }

  /** Undoes a block and all later ones. A structure goes before those that it refers to. */
  private undoFrom(before: StoredBlock): void {
    this.history.exits.undoWithdrawals(before.withdrawals)
    this.auction.changeDefaultBids(
      this.parameters.firstSlotSince(before.variables),
      () => this.parameters.truncate(before.variables)
    )
    this.auction.truncateBids(before.bids)
    this.history.truncate(before.batches)
    this.history.queues.truncate(before.queued)
    this.tokens.truncate(before.tokens, before.prices)
    this.auction.truncateCoordinators(before.coordinators)
  }

  private pushBlock(block: EthereumBlock, lastEthereumBlock: bigint): void {
    this.blocks.push({
      block,
      lastEthereumBlock,
      batches: this.history.lastBatchNum,
      queued: this.history.queues.length,
      tokens: this.tokens.table.length,
      prices: this.tokens.priceCount,
      coordinators: this.auction.coordinators.length,
      bids: this.auction.bids.length,
      withdrawals: this.history.exits.withdrawalCount,
      variables: this.parameters.length
    })
  }

  private changeTo(snapshotId: SnapshotId, changed: ReadonlyArray<LedgerPart>): SnapshotId {
    const parts = withVersion(this.snapshot.parts, changed, snapshotId.version)
    this.snapshot = { snapshotId: Object.freeze(snapshotId), parts }
    this.snapshots.note(this.snapshot)
    return snapshotId
  }

  private snapshotIdOf(version: number): SnapshotId {
    const { head, history: { lastBatchNum }, lastBlock } = this
    return Object.freeze(snapshotIdOf({ head, lastBatchNum, lastBlock, version }))
  }
}
