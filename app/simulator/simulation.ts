import type { Account, FeedRecord, GenesisFeed, New } from "../../core/domain/mod.ts"
import type { TransactionId } from "../../core/encoding/mod.ts"
import type { Selection } from "../../core/use_cases/mod.ts"
import { LiveTraffic, type UserSubmissions } from "./_live_traffic.ts"
import { type LedgerSnapshot, resumedWorld } from "./_resumed_world.ts"
import { genesisOf, growTree, type L2Source, makeBlock } from "./blocks/mod.ts"
import { planTransfers, pricesBetween } from "./traffic/mod.ts"
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

/** An endless network: each record is valid on the ledger that took the ones before it. */
export interface Simulation {
  readonly genesis: GenesisFeed
  /** How many transactions are forged on the chain as it stands; a rollback takes some away. */
  readonly transactionCount: () => number
  /** Whether state roots are computed now, at some milliseconds a transaction, because nobody recorded them. */
  readonly computesRoots: () => boolean
  /** The next record; its L2 transactions were never in a pool, which costs no signatures. */
  readonly next: () => FeedRecord
  /**
   * Goes on from where a ledger stands; nothing is left to do when the steps are done. The number grows from one time to the next, so that
   * no block gets the hash of one that was dropped before.
   */
  readonly resumeFrom: (snapshot: LedgerSnapshot, number: number) => Iterable<void>
  /** The network as a node meets it that has wallets and a coordinator: `driveOnce` plays both. */
  readonly live: LiveNetwork
  /** Keys that the simulator never uses, to be tried by hand, with accounts of ether and the first token. */
  readonly demoWallet: DemoWallet
  /** Of the demo wallet, as the chain stands; empty before the first batches. */
  readonly demoAccounts: () => ReadonlyArray<New<Account> & { readonly symbol: string }>
}

/** The parts that wallets, coordinator and chain take in a live network. Nothing here happens by itself. */
export interface LiveNetwork {
  /** What users sign and hand in now; `keep` those that a node has taken in. */
  readonly nextSubmissions: () => UserSubmissions
  readonly rememberAccepted: (taken: UserSubmissions["entries"]) => void
  /** What the next batch is to forge, in place of what was announced before. */
  readonly setNextBatch: (
    selection: Pick<Selection, "batchNum" | "transactions" | "accounts"> | undefined
  ) => void
  readonly nextBatch: () => {
    readonly batchNum: number
    readonly ids: ReadonlyArray<TransactionId>
  } | undefined
  /** Whether the coordinator fails to forge what it announced, this time. */
  readonly failsToForge: () => boolean
  /** Prepares the state tree, which new roots need, some ten milliseconds at a time; nothing is left to do where it is there. */
  readonly buildStateTree: () => Iterable<void>
  /** A rollback, or a block with the prices before it; the block has batches unless the coordinator is idle. */
  readonly advance: (options: { readonly isIdle: boolean }) => ReadonlyArray<FeedRecord>
}

/** Starts a network; the same options give the same one. */
export function simulate(options: SimulationOptions): Simulation {
  const settings = settingsOf(options)
  const random = new Random(settings.seed)
  const { recording } = settings
  const wallets = new Wallets(settings.seed, settings.network, recording)
  const genesis = genesisOf(settings, wallets)
  const chain = new Chain({
    settings,
    constants: genesis.constants,
    random,
    schedule: new EventSchedule(random),
    wallets,
    recording
  }, worldOf(genesis))
  const plan: L2Source = {
    accountsToCreate: () => undefined,
    fill: ({ count, queue }) =>
      planTransfers(chain.context, chain.world, new Budgets(chain.world, queue), count)
  }
  const demo = wallets.demo()
  const traffic = new LiveTraffic(chain.context, () => chain.world)
  return {
    genesis,
    transactionCount: () => chain.world.transactionCount,
    computesRoots: () => chain.world.tree !== undefined,
    next: () => chain.rollBack() ?? chain.prices() ?? chain.addBlock(plan),
    resumeFrom: function*(snapshot, number) {
      random.reseed(`${settings.seed}/resumed/${number}`)
      chain.resumeFrom(yield* resumedWorld(chain.context, genesis, snapshot), number)
    },
    live: {
      nextSubmissions: () => traffic.nextSubmissions(),
      rememberAccepted: (taken) => traffic.rememberAccepted(taken),
      setNextBatch: (selection) => traffic.setNextBatch(selection),
      nextBatch: () => traffic.nextBatch,
      failsToForge: () => chain.context.schedule.takeDue("forgingFailure"),
      buildStateTree: () => settings.placeholderRoots ? [].values() : growTree(chain.world),
      advance: ({ isIdle: idle }) => {
        const rollBack = chain.rollBack()
        if (rollBack !== undefined) return [rollBack]
        const prices = chain.prices()
        return [
          ...prices === undefined ? [] : [prices],
          chain.addBlock(idle ? null : traffic.source)
        ]
      }
    },
    demoWallet: demo,
    demoAccounts: () =>
      chain.world.accounts.flatMap((account) =>
        account.publicKey === demo.publicKey
          ? [{ ...account, symbol: chain.world.tokens[account.tokenId]!.symbol }]
          : []
      )
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

  /** From another world on, which nothing leads back from. */
  resumeFrom(world: World, fork: number): void {
    this.#worlds = [world]
    this.#fork = fork
    this.#pricesDue = false
    this.#blocksUntilRollBack = this.#drawPeriod()
  }

  addBlock(source: L2Source | null): FeedRecord {
    const world = copyWorld(this.world)
    this.#worlds = [...this.#worlds.slice(1 - MEMORY_BLOCKS), world]
    const block = makeBlock(this.context, world, this.#fork, source)
    this.#blocksUntilRollBack--
    this.#pricesDue = this.context.schedule.takeDue("priceBetweenBlocks")
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
  rollBack(): FeedRecord | undefined {
    if (this.#blocksUntilRollBack > 0) return undefined
    const kept = Math.max(1, this.#worlds.length - this.#depth)
    this.#worlds = this.#worlds.slice(0, kept)
    this.#fork++
    this.#pricesDue = false
    this.#blocksUntilRollBack = this.#drawPeriod()
    return { kind: "rollBack", toBlock: this.world.block.number }
  }

  /** How many blocks the next rollback drops. */
  get #depth(): number {
    return DEPTHS[this.#fork % DEPTHS.length] ?? 1
  }

  #drawPeriod(): number {
    const { random, settings: { rollBackPeriodBlocks: period } } = this.context
    // longer than it is deep, or the chain would never grow
    return period === 0
      ? Infinity
      : Math.max(this.#depth + 1, random.integer(Math.ceil(period * 0.8), Math.ceil(period * 1.2)))
  }
}
