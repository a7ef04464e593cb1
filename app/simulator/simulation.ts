import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import { Agenda } from "./_agenda.ts"
import { type L2Source, makeBlock } from "./_block.ts"
import type { Context } from "./_context.ts"
import { genesisOf } from "./_genesis.ts"
import { planTransfers } from "./_l2_traffic.ts"
import { People } from "./_people.ts"
import { PoolTraffic, type SimulationStep } from "./_pool_traffic.ts"
import { Random } from "./_random.ts"
import { pricesBetween } from "./_tokens.ts"
import { copyWorld, type World, worldOf } from "./_world.ts"
import { settingsOf, type SimulationOptions } from "./options.ts"

/** An endless network: each record is valid on the ledger that took the ones before it. */
export interface Simulation {
  readonly genesis: GenesisFeed
  /** How many transactions are forged on the chain as it stands; a rollback takes some away. */
  readonly transactions: () => number
  /** The next record; its L2 transactions were never in a pool, which costs no signatures. Not to be called after `nextLive`. */
  readonly next: () => FeedRecord
  /**
   * The next block or rollback as a node sees it that also has a pool: with what happens to the pool around it. What it forges is what was
   * signed and announced in the steps before.
   */
  readonly nextLive: () => ReadonlyArray<SimulationStep>
}

/** Starts a network; the same options give the same one. */
export function simulate(options: SimulationOptions): Simulation {
  const settings = settingsOf(options)
  const random = new Random(settings.seed)
  const people = new People(settings.seed, settings.network)
  const genesis = genesisOf(settings, people)
  const chain = new Chain({ settings, constants: genesis.constants, random, agenda: new Agenda(random), people }, worldOf(genesis))
  const pool = new PoolTraffic(chain.context)
  const plan: L2Source = (purses, { count }) => planTransfers(chain.context, chain.world, purses, count)
  return {
    genesis,
    transactions: () => chain.world.transactions,
    next: () => chain.rollBack()?.record ?? chain.prices() ?? chain.grow(plan),
    nextLive: () => {
      const rollBack = chain.rollBack()
      if (rollBack !== undefined) return [{ kind: "feed", record: rollBack.record }, ...pool.reopen(rollBack.dropped)]
      const prices = chain.prices()
      const block = chain.grow(pool.forge)
      return [
        ...prices === undefined ? [] : [{ kind: "feed" as const, record: prices }],
        { kind: "feed", record: block },
        ...pool.settle(chain.world)
      ]
    }
  }
}

/** As many blocks as can be remembered, more than a rollback is deep. */
const MEMORY_BLOCKS = 12
/** In turn, so that shallow and deep ones come early. */
const DEPTHS = [2, 1, 4, 1, 3, 5, 2] as const

/** The chain as it stands, and the last blocks to come back to. */
class Chain {
  readonly context: Context
  /** Oldest first; the last one is the tip. */
  #worlds: Array<World>
  /** Counts rollbacks, so that a block that takes the place of another one has another hash. */
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

  grow(source: L2Source): FeedRecord {
    const world = copyWorld(this.world)
    this.#worlds = [...this.#worlds.slice(1 - MEMORY_BLOCKS), world]
    const block = makeBlock(this.context, world, this.#fork, source)
    this.#blocksUntilRollBack--
    this.#pricesDue = this.context.agenda.take("priceBetweenBlocks")
    return { kind: "block", block }
  }

  /** Prices that arrive after the last block. */
  prices(): FeedRecord | undefined {
    if (!this.#pricesDue) return undefined
    this.#pricesDue = false
    const prices = pricesBetween(this.context, this.world)
    return prices.length === 0 ? undefined : { kind: "prices", prices }
  }

  /** Drops the last blocks when it is time; undefined otherwise. */
  rollBack(): { readonly record: FeedRecord; readonly dropped: ReadonlyArray<World> } | undefined {
    if (this.#blocksUntilRollBack > 0) return undefined
    const kept = Math.max(1, this.#worlds.length - this.#depth)
    const dropped = this.#worlds.slice(kept)
    this.#worlds = this.#worlds.slice(0, kept)
    this.#fork++
    this.#pricesDue = false
    this.#blocksUntilRollBack = this.#drawPeriod()
    return { record: { kind: "rollBack", toBlock: this.world.block.number }, dropped }
  }

  /** How many blocks the next rollback drops. */
  get #depth(): number {
    return DEPTHS[this.#fork % DEPTHS.length] ?? 1
  }

  #drawPeriod(): number {
    const { random, settings: { rollBackPeriodBlocks: period } } = this.context
    // longer than it is deep, or the chain would never grow
    return period === 0 ? Infinity : Math.max(this.#depth + 1, random.integer(Math.ceil(period * 0.8), Math.ceil(period * 1.2)))
  }
}
