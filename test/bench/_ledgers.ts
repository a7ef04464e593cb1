import { Effect } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { layerOf, openMemoryLedger, poolLayer } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import {
  type BlockFeed,
  decideBlock,
  later,
  readInterfaces,
  type ReadOperation,
  wireContext
} from "../../core/mod.ts"
import { showFigure, showRatio } from "./_figures.ts"
import { median } from "./_load.ts"
import { mebibytes } from "./_stores.ts"
import { heavyAccount, network } from "./sql/_sql_ledger.ts"

/**
 * Measures how fast blocks are applied in memory, checks included, and a page of the account with
 * the most transactions at its start, its middle and its end; in process, without HTTP.
 */
export const benchLedgers = async (transactions: number): Promise<void> => {
  const large = await benchApply(transactions)
  const small = await benchApply(10_000)
  benchDepth([small, large])
}

/** A ledger of some size, and its account with the most transactions. */
interface BenchLedger {
  readonly transactions: number
  /** Item ids of that account's transactions, ascending. */
  readonly itemIds: ReadonlyArray<number>
  readonly history: ReadOperation
}

const benchApply = async (transactions: number): Promise<BenchLedger> => {
  const simulation = simulate(network)
  const { genesis } = simulation
  const ledger = openMemoryLedger({ genesis })
  const rules = { constants: genesis.constants, keccak256 }
  let applyMs = 0
  let pending: Array<BlockFeed> = []
  const apply = () => {
    const started = performance.now()
    for (const block of pending) {
      const result = ledger.apply(decideBlock(rules, block))
      if (result._tag === "Failure") throw result.failure
    }
    applyMs += performance.now() - started
    pending = []
  }
  while (simulation.transactionCount() < transactions) {
    const record = simulation.next()
    if (record.kind === "block") pending.push(record.block)
    if (pending.length === 50) apply()
  }
  apply()
  globalThis.gc?.()
  const memory = process.memoryUsage()
  showFigure({
    name: `blocks applied in memory, ${transactions} transactions`,
    measured: `${Math.round(transactions / applyMs * 1000)} transactions/s`,
    conditions: `afterwards ${mebibytes(memory.rss)} resident, ${
      mebibytes(memory.heapUsed)
    } heap, a generation of the simulator included`
  })
  const itemIds: Array<number> = []
  for (let pendingItems = 1; pendingItems > 0;) {
    const page = ledger.list("transactions", {
      filters: { accountIndex: heavyAccount },
      fromItem: (itemIds.at(-1) ?? -1) + 1,
      limit: 2049
    })
    if (page._tag === "Failure") throw page.failure
    for (const { transaction } of page.success.items) itemIds.push(transaction.itemId)
    pendingItems = page.success.counts.pendingItems
  }
  const [revision] = await Effect.runPromise(
    readInterfaces({
      context: wireContext(genesis.network, keccak256),
      constants: genesis.constants,
      revisions: [later]
    }).pipe(Effect.provide(layerOf(ledger)), Effect.provide(poolLayer))
  )
  return { transactions, itemIds, history: revision!.operations.getHistoryTxs }
}

const positions = { start: 0, middle: 0.5, end: 1 }

/** Returns the microseconds of one page at a position: the median over pages around it. */
const pageUs = ({ history, itemIds }: BenchLedger, share: number): number => {
  const times: Array<number> = []
  const last = itemIds.length - 20
  for (let i = 0; i < 2000; i++) {
    const around = Math.round(share * last) + (share === 1 ? -(i % 100) : i % 100)
    const fromItem = itemIds[Math.min(last, Math.max(0, around))]
    const started = performance.now()
    Effect.runSync(history([], `accountIndex=zk:ETH:${heavyAccount}&fromItem=${fromItem}`))
    times.push((performance.now() - started) * 1000)
  }
  return median(times.slice(500)).median
}

/** The figure is the slowest ÷ the fastest position of all ledgers, which are measured in turn. */
const benchDepth = (ledgers: ReadonlyArray<BenchLedger>): void => {
  const pages = ledgers.flatMap((ledger) =>
    Object.entries(positions).map(([position, share]) => ({
      name: `${ledger.transactions} transactions, ${position}`,
      ledger,
      share,
      us: new Array<number>()
    }))
  )
  for (let round = 0; round < 5; round++) {
    for (const { ledger, share, us } of pages) us.push(pageUs(ledger, share))
  }
  const medians = pages.map(({ us }) => median(us).median)
  const [slowest, fastest] = [Math.max(...medians), Math.min(...medians)].map((us) =>
    pages[medians.indexOf(us)]!
  )
  showRatio({
    name: "page of a heavy account, start, middle, end, both sizes: slowest ÷ fastest",
    values: slowest!.us.map((us, round) => us / fastest!.us[round]!),
    conditions: `in process; ${slowest!.name} ÷ ${fastest!.name}; ${
      ledgers.map(({ itemIds }) => itemIds.length).join(" and ")
    } transactions of it`
  })
}
