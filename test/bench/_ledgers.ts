import { Effect } from "effect"
import { layerOf, openMemoryLedger, poolLayer } from "../../adapters/memory/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import {
  type BlockFeed,
  decideBlock,
  later,
  readInterfaces,
  type ReadOperation,
  wireContext
} from "../../core/mod.ts"
import { showFigure } from "./_figures.ts"
import { median } from "./_load.ts"

/** A ledger of some size, its account with the most transactions, and its reader. */
export interface BenchLedger {
  readonly transactions: number
  readonly heavyTransactions: number
  /** Item ids of that account's transactions, ascending. */
  readonly itemIds: ReadonlyArray<number>
  readonly history: ReadOperation
}

const heavyAccount = 256

/** Generates a network, and measures how long it takes to apply it. */
export const benchApply = async (transactions: number): Promise<BenchLedger> => {
  const simulation = simulate({
    seed: "bench",
    users: 100,
    transactionsPerBlock: 500,
    exitShare: 0,
    heavyShare: 0.36,
    rollBackPeriodBlocks: 0,
    placeholderRoots: true
  })
  const { genesis } = simulation
  const ledger = openMemoryLedger({ genesis })
  const rules = { constants: genesis.constants, keccak256 }
  let applyMs = 0
  const apply = (blocks: ReadonlyArray<BlockFeed>) => {
    const started = performance.now()
    for (const block of blocks) {
      const result = ledger.apply(decideBlock(rules, block))
      if (result._tag === "Failure") throw result.failure
    }
    applyMs += performance.now() - started
  }
  let pending: Array<BlockFeed> = []
  while (simulation.transactionCount() < transactions) {
    const record = simulation.next()
    if (record.kind === "block") pending.push(record.block)
    if (pending.length === 50) {
      apply(pending)
      pending = []
    }
  }
  apply(pending)
  globalThis.gc?.()
  const memory = process.memoryUsage()
  showFigure({
    name: `blocks applied in memory, ${transactions} transactions`,
    measured: `${Math.round(transactions / applyMs * 1000)} transactions/s`,
    conditions: `afterwards ${Math.round(memory.rss / 2 ** 20)} MiB resident, ${
      Math.round(memory.heapUsed / 2 ** 20)
    } MiB heap, a generation of the simulator included`
  })
  return ledgerOf(ledger, genesis, transactions)
}

const ledgerOf = async (
  ledger: ReturnType<typeof openMemoryLedger>,
  genesis: ReturnType<typeof simulate>["genesis"],
  transactions: number
): Promise<BenchLedger> => {
  const itemIds: Array<number> = []
  for (let fromItem = 0;;) {
    const page = ledger.list("transactions", {
      filters: { accountIndex: heavyAccount },
      fromItem,
      limit: 2049
    })
    if (page._tag === "Failure") throw page.failure
    for (const { transaction } of page.success.items) itemIds.push(transaction.itemId)
    if (page.success.counts.pendingItems === 0) break
    fromItem = itemIds.at(-1)! + 1
  }
  const interfaces = await Effect.runPromise(
    readInterfaces({
      context: wireContext(genesis.network, keccak256),
      constants: genesis.constants,
      revisions: [later]
    }).pipe(Effect.provide(layerOf(ledger)), Effect.provide(poolLayer))
  )
  return {
    transactions,
    heavyTransactions: itemIds.length,
    itemIds,
    history: interfaces[0]!.operations.getHistoryTxs
  }
}

const positions = { start: 0, middle: 0.5, end: 1 }

/**
 * Returns the microseconds of one page at a position: the median over pages around it.
 */
const pageUs = (ledger: BenchLedger, share: number): number => {
  const { itemIds, history } = ledger
  const times: Array<number> = []
  const last = itemIds.length - 20
  for (let i = 0; i < 2000; i++) {
    const index = Math.min(
      last,
      Math.max(0, Math.round(share * last) + (share === 1 ? -(i % 100) : i % 100))
    )
    const query = `accountIndex=zk:ETH:${heavyAccount}&fromItem=${itemIds[index]}`
    const started = performance.now()
    Effect.runSync(history([], query))
    times.push((performance.now() - started) * 1000)
  }
  return median(times.slice(500)).median
}

/**
 * Measures the same page at three positions of every ledger, in turn; the figure is the slowest ÷
 * the fastest.
 */
export const benchDepth = async (ledgers: ReadonlyArray<BenchLedger>) => {
  const figures = new Map<string, Array<number>>()
  for (let round = 0; round < 5; round++) {
    for (const ledger of ledgers) {
      for (const [position, share] of Object.entries(positions)) {
        const key = `${ledger.transactions} transactions, ${position}`
        figures.set(key, [...(figures.get(key) ?? []), pageUs(ledger, share)])
      }
    }
  }
  const medians = [...figures].map(([key, values]) => [key, median(values).median] as const)
  for (const [key, us] of medians) console.log(`  ${key.padEnd(32)} ${us.toFixed(1)} µs`)
  const all = medians.map(([, us]) => us)
  showFigure({
    name: "page of a heavy account, start, middle, end, both sizes: slowest ÷ fastest",
    measured: (Math.max(...all) / Math.min(...all)).toFixed(2),
    conditions: `${ledgers.map((l) => l.heavyTransactions).join(" and ")} transactions of it`
  })
}
