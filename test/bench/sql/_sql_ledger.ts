import { Context, Effect, Exit, Layer, Logger, Redacted, Result, Scope } from "effect"
import { BulkWriter, sqlStores } from "../../../adapters/sql/mod.ts"
import { bulkLoad, type BulkRecord } from "../../../app/commands/ingest.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { type BlockFeed, LedgerReader, LedgerWriter } from "../../../core/mod.ts"
import { median } from "../_load.ts"

/**
 * The network of these benchmarks: a third of the transfers involve one account, and there are few
 * exits, because the simulator has to prove each.
 */
export const network = {
  seed: "bench",
  users: 100,
  transactionsPerBlock: 500,
  exitShare: 0.005,
  heavyShare: 0.36,
  rollBackPeriodBlocks: 0,
  placeholderRoots: true
} as const
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
  readonly close: () => Promise<void>
}

const groupTransactions = 4000
const lastBlocksMax = 8

/**
 * Generates a network and measures its application, in the groups and with the checks of `ingest`.
 *
 * @param onGroup is called after each group, with all transactions so far and the time of the group
 * @param users the number of users at the start
 */
export const ingestLedger = async (
  url: string,
  transactions: number,
  onGroup: (transactions: number, ms: number) => Promise<void> = () => Promise.resolve(),
  users: number = network.users
): Promise<SqlLedger> => {
  const simulation = simulate({ ...network, users })
  const { apply, load, ...stores } = await open(url)
  const rates: Array<number> = []
  let lastBlocks: ReadonlyArray<BlockFeed> = []
  let [ingestMs, group, before] = [0, new Array<BulkRecord>(), 0]
  const flush = async () => {
    const ms = await timed(() => load(group))
    const after = simulation.transactionCount()
    rates.push((after - before) / ms * 1000)
    ingestMs += ms
    await onGroup(after, ms)
    lastBlocks = [
      ...lastBlocks,
      ...group.flatMap((record) => record.kind === "block" ? [record.block] : [])
    ].slice(-lastBlocksMax)
    group = []
    before = after
  }
  let inGroup = 0
  while (simulation.transactionCount() < transactions) {
    const record = simulation.next()
    if (record.kind === "block") {
      group.push(record)
      inGroup += sizeOf(record.block)
    }
    if (record.kind === "prices") group.push(record)
    if (inGroup >= groupTransactions) {
      await flush()
      inGroup = 0
    }
  }
  if (group.length > 0) await flush()
  const total = simulation.transactionCount()
  const { median: rate, spread } = median(rates)
  const tenth = Math.max(1, Math.floor(rates.length / 10))
  const [first, last] = [rates.slice(0, tenth), rates.slice(-tenth)].map((some) =>
    Math.round(median(some).median)
  )
  console.log(
    `  ${String(total).padStart(8)} transactions   ${
      Math.round(total / ingestMs * 1000)
    } transactions/s (groups: median ${Math.round(rate)} ± ${
      Math.round(spread)
    }, first tenth ${first}, last tenth ${last})`
  )
  return { url, transactions: total, lastBlocks, apply, ...stores }
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Returns the number of transactions, queued ones included. */
const sizeOf = ({ batches = [], l1UserTransactions = [] }: BlockFeed): number =>
  batches.reduce(
    (sum, { l1Coordinator, l2 }) => sum + l1Coordinator.length + l2.length,
    l1UserTransactions.length
  )

const silently = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Logger.layer([])))

const open = async (url: string) => {
  const { genesis } = simulate(network)
  const scope = Effect.runSync(Scope.make())
  const context = await silently(
    Layer.buildWithScope(sqlStores({ url: Redacted.make(url), genesis, maxConnections: 4 }), scope)
  )
  const load = await silently(
    Scope.provide(bulkLoad(Context.get(context, BulkWriter), genesis), scope)
  )
  const writer = Context.get(context, LedgerWriter)
  return {
    reader: Context.get(context, LedgerReader),
    rollBack: (toBlock: bigint) => silently(writer.rollBack(toBlock, () => Result.void)),
    load: (records: ReadonlyArray<BulkRecord>) => silently(load(records)),
    apply: (blocks: ReadonlyArray<BlockFeed>) =>
      silently(load(blocks.map((block) => ({ kind: "block", block })))),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
