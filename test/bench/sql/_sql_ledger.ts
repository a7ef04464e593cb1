import { Context, Effect, Exit, Layer, Logger, Redacted, Result, Scope } from "effect"
import { BulkWriter, sqlStores } from "../../../adapters/sql/mod.ts"
import { bulkLoad, type BulkRecord } from "../../../app/commands/ingest.ts"
import { simulate, type SimulationOptions } from "../../../app/simulator/mod.ts"
import { type BlockFeed, type GenesisFeed, LedgerReader, LedgerWriter } from "../../../core/mod.ts"
import { showFigure } from "../_figures.ts"
import { median } from "../_load.ts"

/**
 * The network of these benchmarks: about 25 transactions a batch, of which a third involve one
 * account, and few exits of L2 transactions, because the simulator has to prove each.
 */
export const network: SimulationOptions = {
  seed: "bench",
  users: 100,
  transactionsPerBlock: 30,
  exitShare: 0.005,
  heavyShare: 0.36,
  rollBackPeriodBlocks: 0,
  placeholderRoots: true
}
/** The network of `npm start`, without true state roots, which no store computes. */
export const programNetwork: SimulationOptions = { seed: "1", placeholderRoots: true }
export const heavyAccount = 256

/**
 * A ledger in its own database, opened as one process does: one connection for reads and one for
 * writes.
 */
export interface SqlLedger {
  readonly url: string
  readonly transactions: number
  readonly reader: LedgerReader["Service"]
  readonly apply: (blocks: ReadonlyArray<BlockFeed>) => Promise<unknown>
  readonly rollBack: (toBlock: bigint) => Promise<unknown>
  /** The last blocks, to be rolled back and applied again. */
  readonly lastBlocks: ReadonlyArray<BlockFeed>
  /** Shows the rate at which it was ingested. */
  readonly showIngest: () => void
  readonly close: () => Promise<void>
}

const groupTransactions = 4000
const lastBlocksMax = 80

/** What one group took: milliseconds, and those of CPU time of this process with all its threads. */
export interface GroupCost {
  readonly ms: number
  readonly cpuMs: number
}

/**
 * Generates a network and measures its application, in the groups and with the checks of `ingest`.
 *
 * @param onGroup is called after each group, with all transactions so far and the cost of the group
 * @param options the options of the network
 */
export const ingestLedger = async (
  url: string,
  transactions: number,
  onGroup: (transactions: number, cost: GroupCost) => Promise<void> = () => Promise.resolve(),
  options: SimulationOptions = network
): Promise<SqlLedger> => {
  const simulation = simulate(options)
  const { apply, load, ...stores } = await open(url, simulation.genesis)
  const rates: Array<number> = []
  let lastBlocks: ReadonlyArray<BlockFeed> = []
  let [ingestMs, group, before] = [0, new Array<BulkRecord>(), 0]
  const flush = async () => {
    const cost = await costOf(() => load(group))
    const after = simulation.transactionCount()
    rates.push((after - before) / cost.ms * 1000)
    ingestMs += cost.ms
    await onGroup(after, cost)
    lastBlocks = [
      ...lastBlocks,
      ...group.flatMap((record) => record.kind === "block" ? [record.block] : [])
    ].slice(-lastBlocksMax)
    group = []
    before = after
  }
  while (simulation.transactionCount() < transactions) {
    const record = simulation.next()
    if (record.kind === "block" || record.kind === "prices" || record.kind === "rollBack") {
      group.push(record)
    }
    if (simulation.transactionCount() - before >= groupTransactions) await flush()
  }
  if (group.length > 0) await flush()
  const total = simulation.transactionCount()
  return {
    url,
    transactions: total,
    lastBlocks,
    apply,
    showIngest: () => showIngest(total, ingestMs, rates),
    ...stores
  }
}

const showIngest = (total: number, ms: number, rates: ReadonlyArray<number>): void => {
  const { median: rate, spread } = median(rates)
  const tenth = Math.max(1, Math.floor(rates.length / 10))
  const [first, last] = [rates.slice(0, tenth), rates.slice(-tenth)].map((some) =>
    Math.round(median(some).median)
  )
  showFigure({
    name: `ingest into PostgreSQL, ${total} transactions`,
    bound: "≥ 8,000/s",
    measured: `${Math.round(total / ms * 1000)}/s`,
    conditions: `groups ${Math.round(rate)} ± ${
      Math.round(spread)
    }/s, first tenth ${first}, last tenth ${last}`
  })
}

const costOf = async (work: () => Promise<unknown>): Promise<GroupCost> => {
  const [started, usedBefore] = [performance.now(), process.cpuUsage()]
  await work()
  const { system, user } = process.cpuUsage(usedBefore)
  return { ms: performance.now() - started, cpuMs: (system + user) / 1000 }
}

const silently = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Logger.layer([])))

const open = async (url: string, genesis: GenesisFeed) => {
  const scope = Effect.runSync(Scope.make())
  const context = await silently(
    Layer.buildWithScope(sqlStores({ url: Redacted.make(url), genesis, maxConnections: 4 }), scope)
  )
  const reader = Context.get(context, LedgerReader)
  const load = await silently(
    Scope.provide(bulkLoad(Context.get(context, BulkWriter), genesis, reader.snapshotId), scope)
  )
  const writer = Context.get(context, LedgerWriter)
  return {
    reader,
    rollBack: (toBlock: bigint) => silently(writer.rollBack(toBlock, () => Result.void)),
    load: (records: ReadonlyArray<BulkRecord>) => silently(load(records)),
    apply: (blocks: ReadonlyArray<BlockFeed>) =>
      silently(load(blocks.map((block) => ({ kind: "block", block })))),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
