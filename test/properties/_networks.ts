import { Context, Effect, Layer } from "effect"
import * as memory from "../../adapters/memory/mod.ts"
import { simulate, type Simulation, type SimulationOptions } from "../../app/simulator/mod.ts"
import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerHistory, LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { rememberedKeccak256 } from "../crypto/remembered.ts"
import { type HistorySubject, withGaps } from "../laws/mod.ts"
import { Heads } from "./_heads.ts"
import { replayOf, rounds } from "../rounds.ts"
import { rememberedExitTrees } from "../derived/_stripped.ts"

/*
 * All random tests of this folder use these seeds and name them in their titles. To replay one:
 *
 *     SEED=123 npm test -- test/properties/laws.test.ts
 *
 * RUNS=1000 checks more cases of each law.
 */
export const seeds: ReadonlyArray<string> = process.env.SEED === undefined
  ? rounds({ short: ["1"], long: ["1", "20", "300"] })
  : [process.env.SEED]
export const runs = Number(process.env.RUNS ?? rounds({ short: 20, long: 40 }))

/** Returns a title that contains the command to replay a failure. */
export const titled = (seed: string, file: string): string =>
  `network ${seed} (replay: ${replayOf(seed, file)})`

/** Options of a small network; its size and traffic depend on the seed too. */
export const optionsOf = (seed: string): SimulationOptions => {
  const number = [...seed].reduce(
    (sum, character) => (sum * 31 + character.charCodeAt(0)) % 9973,
    7
  )
  return {
    seed,
    users: 12 + number % 14,
    tokens: number % 4 === 0 ? 3 : 13,
    coordinators: 1 + number % 4,
    transactionsPerBlock: 3 + number % 5,
    exitShare: 0.08,
    rollBackPeriodBlocks: 5 + number % 9
  }
}

/** Few users and much traffic, most of it through one account. */
export const crowdedOptionsOf = (seed: string): SimulationOptions => ({
  ...optionsOf(seed),
  users: 7,
  tokens: 2,
  transactionsPerBlock: 60,
  heavyShare: 0.7,
  exitShare: 0.06,
  rollBackPeriodBlocks: 6
})

export interface Network {
  readonly genesis: GenesisFeed
  readonly records: ReadonlyArray<FeedRecord>
}

/** A network that grows on demand; many tests begin with the same one. */
class Growing {
  readonly #simulation: Simulation
  readonly #records: Array<FeedRecord> = []
  /** The number of forged transactions on the chain at the start, and after each record. */
  readonly #forged: Array<number> = [0]
  readonly #slowness: number
  readonly #heads = new Heads()

  constructor(options: SimulationOptions, slowness: number) {
    this.#simulation = simulate({ ...options, placeholderRoots: true })
    this.#slowness = slowness
  }

  until(transactions: number): Network {
    const { genesis } = this.#simulation
    const isEnough = (forged: number) => forged >= transactions
    while (!this.#forged.some(isEnough)) {
      const record = this.#told(this.#simulation.next())
      this.#add(this.#heads.before(record), this.#forged.at(-1)!)
      this.#add([record, ...this.#heads.after(record)], this.#simulation.transactionCount())
    }
    return { genesis, records: this.#records.slice(0, this.#forged.findIndex(isEnough)) }
  }

  #add(records: ReadonlyArray<FeedRecord>, forged: number): void {
    this.#records.push(...records)
    this.#forged.push(...records.map(() => forged))
  }

  #told(record: FeedRecord): FeedRecord {
    if (record.kind !== "block") return record
    const { genesis } = this.#simulation
    const { number, timestampMs } = record.block
    const slowed = genesis.block.timestampMs +
      (timestampMs - genesis.block.timestampMs) * this.#slowness
    // sometimes the writer knows of blocks that it has not read yet
    const ahead = number % 7n === 0n ? { lastEthereumBlock: number + 3n } : {}
    return { kind: "block", block: { ...record.block, ...ahead, timestampMs: slowed } }
  }
}

const growing = new Map<string, Growing>()

/**
 * Returns the feed until this number of transactions is forged. Slower time lets hours and days
 * pass in a short chain.
 */
export const networkOf = (
  options: SimulationOptions,
  transactions: number,
  slowness = slownessOf(String(options.seed))
): Network => {
  const key = JSON.stringify([options, slowness])
  const network = growing.get(key) ?? new Growing(options, slowness)
  growing.set(key, network)
  return network.until(transactions)
}

/** Returns such a feed that leaves out empty blocks. */
export const gappedNetworkOf = (options: SimulationOptions, transactions: number): Network => {
  const { genesis, records } = networkOf(options, transactions)
  return { genesis, records: withGaps(genesis, records, options.seed!) }
}

/**
 * The averages of the network state cover an hour and a day: some networks fit into an hour, some
 * last for days.
 */
const slownessOf = (seed: string): number => [1, 40, 250][seed.length % 3]!

/** Opens an empty ledger in memory. */
export const memoryLedger = (genesis: GenesisFeed) =>
  Effect.map(
    Layer.build(
      Layer.fresh(
        Ledger.layer(genesis, rememberedKeccak256, { buildExitTrees: rememberedExitTrees }).pipe(
          Layer.provideMerge(memory.layer(genesis))
        )
      )
    ),
    (services) => ({
      reader: Context.get(services, LedgerReader),
      history: Context.get(services, LedgerHistory),
      ledger: Context.get(services, Ledger)
    })
  )

export const subjectOf = ({ genesis, records }: Network, seed: string): HistorySubject => ({
  genesis,
  records,
  open: memoryLedger(genesis),
  keccak256: rememberedKeccak256,
  seed,
  runs
})
