import type { Account, BlockFeed, FeedRecord, GenesisFeed, New } from "../../core/domain/mod.ts"
import { LiveTraffic } from "./_live_traffic.ts"
import { type LedgerContent, resumedWorld } from "./_resumed_world.ts"
import { type Arrival, arrivingTime } from "./arrival.ts"
import { genesisOf, type L2Source, makeBlock } from "./blocks/mod.ts"
import { changePrices, planEmptyTransfer, planTransfers } from "./traffic/mod.ts"
import {
  EventSchedule,
  type Context,
  copyWorld,
  type DemoWallet,
  Wallets,
  Budgets,
  Random,
  settingsOf,
  type SimulationOptions,
  type World,
  worldOf
} from "./world/mod.ts"

/**
 * A simulated network. It generates an endless feed, in which each record is valid on a ledger that
 * has applied all records before it.
 */
export interface Simulation {
  readonly genesis: GenesisFeed
  /** Returns the number of transactions forged on the chain; a rollback reduces it. */
  readonly transactionCount: () => number
  /**
   * Returns the next record. Its L2 transactions are not signed and never were in a pool. With an
   * arrival, the times of the blocks are such that the history ends at `endMs`.
   */
  readonly next: (arrival?: Arrival) => FeedRecord
  /** What `drive` and `resume` ask of the network. */
  readonly live: LiveNetwork
  /**
   * Keys that the simulator never uses, for manual tests; with accounts of ether and the first
   * token.
   */
  readonly demoWallet: DemoWallet
  /** Returns the accounts of the demo wallet; none before the first batches. */
  readonly demoAccounts: () => ReadonlyArray<New<Account> & { readonly symbol: string }>
}

/**
 * The users, the coordinator and the chain of a live network. Each acts only when it is called.
 * Arguments and results are plain data, so that the network can run in another thread.
 */
export interface LiveNetwork extends Omit<LiveTraffic, "source"> {
  readonly transactionCount: Simulation["transactionCount"]
  /** Returns the next record of the history; undefined if it is complete. */
  readonly nextOfHistory: (arrival: Arrival) => FeedRecord | undefined
  /**
   * Continues the chain of a ledger. `fork` must be greater than at the last call, so that no new
   * block has the hash of a dropped one.
   */
  readonly resumeFrom: (content: LedgerContent, fork: number) => void
  /** Whether the coordinator now fails to forge the next batch. */
  readonly failsToForge: () => boolean
  /**
   * Returns the next records: a rollback, or a block, after new prices if there are any, and before
   * a head if the node falls behind the chain. The block has no batches if the coordinator is idle.
   * Its time is `timeMs`, unless that is before the previous block; by default it follows that block
   * after 12 to 15 seconds.
   */
  readonly advance: (
    options: { readonly isIdle: boolean; readonly timeMs?: number | undefined }
  ) => ReadonlyArray<FeedRecord>
}

/**
 * Returns a new simulated network. The same options generate the same network, byte for byte.
 * Throws a RangeError if `rollBackPeriodBlocks` is from 1 to 4.
 *
 * ```ts
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 7 })
 * const record = next()
 * console.log(record.kind === "block" && record.block.number - genesis.block.number) // => 1n
 * ```
 */
export function simulate(options: SimulationOptions): Simulation {
  const settings = settingsOf(options)
  const random = new Random(settings.seed)
  const wallets = new Wallets(settings.seed, settings.network)
  const genesis = genesisOf(settings, wallets)
  const chain = new Chain({
    settings,
    constants: genesis.constants,
    random,
    schedule: new EventSchedule(random),
    wallets
  }, worldOf(genesis))
  const plannedSource: L2Source = {
    accountsToCreate: () => undefined,
    fill: ({ count, queue }) => {
      const { context, world } = chain
      const budgets = new Budgets(world, queue)
      return [
        ...planTransfers(context, world, budgets, count),
        ...planEmptyTransfer(context, world, budgets)
      ]
    }
  }
  const demoWallet = wallets.demo
  const { source, ...traffic } = new LiveTraffic(chain.context, () => chain.world)
  const transactionCount = () => chain.world.transactionCount
  const next = (arrival?: Arrival): FeedRecord =>
    chain.rollBack() ?? chain.prices() ?? {
      kind: "block",
      block: chain.addBlock(plannedSource, arrivingTime(chain.world, arrival, settings))
    }
  return {
    genesis,
    transactionCount,
    next,
    live: {
      ...traffic,
      transactionCount,
      nextOfHistory: (arrival) =>
        transactionCount() < arrival.transactions ? next(arrival) : undefined,
      resumeFrom: (content, fork) => {
        random.reseed(`${settings.seed}/resumed/${fork}`)
        chain.resumeFrom(resumedWorld(chain.context, genesis, content), fork)
      },
      failsToForge: () => chain.context.schedule.takeDue("forgingFailure"),
      advance: ({ isIdle, timeMs }) => {
        const rollBack = chain.rollBack()
        if (rollBack !== undefined) return [rollBack]
        const prices = chain.prices()
        const block = chain.addBlock(
          isIdle ? null : source,
          timeMs === undefined ? undefined : Math.max(chain.world.block.timestampMs, timeMs)
        )
        return [
          ...prices === undefined ? [] : [prices],
          { kind: "block", block },
          ...headAfter(block)
        ]
      }
    },
    demoWallet,
    demoAccounts: () =>
      chain.world.accounts.flatMap((account) =>
        account.publicKey === demoWallet.publicKey
          ? [{ ...account, symbol: chain.world.tokens[account.tokenId]!.symbol }]
          : []
      )
  }
}

/** Blocks between two times at which the node falls behind the chain, and how far. */
const periodBlocks = 20n
const blocksBehind = 5n

/**
 * Returns the head that follows a block of a live network: from time to time, one that states that
 * the chain is some blocks ahead, as if the writer had been interrupted. The node catches up with the
 * next blocks. It follows from the number alone, so that the blocks of a seed stay the same.
 */
const headAfter = ({ hash, number, timestampMs }: BlockFeed): ReadonlyArray<FeedRecord> =>
  number % periodBlocks === 10n
    ? [{ kind: "head", head: { number, hash, timestampMs, chainHead: number + blocksBehind } }]
    : []

/** Number of snapshots for rollbacks: more than the depth of a rollback. */
const SNAPSHOTS_MAX = 12
/** Depths of the rollbacks in blocks, in turn, so that shallow and deep ones occur early. */
const DEPTHS = [2, 1, 4, 1, 3, 5, 2] as const

/** The chain: its state, and snapshots of the last blocks. */
class Chain {
  readonly context: Context
  /** The state after each of the last blocks, oldest first. */
  #worlds: Array<World>
  /** Number of rollbacks, so that a replacement block has another hash. */
  #fork = 0
  #blocksUntilRollBack: number
  #pricesDue = false

  constructor(context: Context, first: World) {
    this.context = context
    this.#worlds = [first]
    this.#blocksUntilRollBack = this.#drawPeriod()
  }

  get world(): World {
    return this.#worlds.at(-1)!
  }

  /** Continues from another state, before which no rollback reaches. */
  resumeFrom(world: World, fork: number): void {
    this.#worlds = [world]
    this.#fork = fork
    this.#pricesDue = false
    this.#blocksUntilRollBack = this.#drawPeriod()
  }

  /** Adds a block with this time, by default 12 to 15 seconds after the last one. */
  addBlock(source: L2Source | null, timestampMs: number | undefined): BlockFeed {
    const world = copyWorld(this.world)
    this.#worlds = [...this.#worlds.slice(1 - SNAPSHOTS_MAX), world]
    const block = makeBlock(this.context, world, { fork: this.#fork, source, timestampMs })
    this.#blocksUntilRollBack--
    this.#pricesDue = this.context.schedule.takeDue("priceBetweenBlocks")
    return block
  }

  /** Returns prices that arrive after the last block, if there are any. */
  prices(): FeedRecord | undefined {
    if (!this.#pricesDue) return undefined
    this.#pricesDue = false
    const prices = changePrices(this.context, this.world)
    return prices.length === 0 ? undefined : { kind: "prices", prices }
  }

  /** Drops the last blocks if a rollback is due; otherwise returns undefined. */
  rollBack(): FeedRecord | undefined {
    if (this.#blocksUntilRollBack > 0) return undefined
    this.#worlds = this.#worlds.slice(0, Math.max(1, this.#worlds.length - this.#depth))
    this.#fork++
    this.#pricesDue = false
    this.#blocksUntilRollBack = this.#drawPeriod()
    return { kind: "rollBack", toBlock: this.world.block.number }
  }

  /** Number of blocks that the next rollback drops. */
  get #depth(): number {
    return DEPTHS[this.#fork % DEPTHS.length] ?? 1
  }

  #drawPeriod(): number {
    const { random, settings: { rollBackPeriodBlocks: period } } = this.context
    // more than the depth, otherwise the chain would not grow
    return period === 0
      ? Infinity
      : Math.max(this.#depth + 1, random.integer(Math.ceil(period * 0.8), Math.ceil(period * 1.2)))
  }
}
