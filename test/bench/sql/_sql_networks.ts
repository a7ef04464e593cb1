import type { SimulationOptions } from "../../../app/simulator/mod.ts"
import type { Cluster } from "../../postgres/cluster.ts"
import { ratioText, showFigure } from "../_figures.ts"
import { median } from "../_load.ts"
import { databaseCpuMs } from "./_database.ts"
import { ingestLedger, network, programNetwork } from "./_sql_ledger.ts"

/** The network of the benchmark is the first; others differ from it, or from `npm start`, in one cause. */
const networks: Readonly<Record<string, SimulationOptions>> = {
  "of the benchmark": network,
  "of npm start": programNetwork,
  "of npm start without rollbacks": { ...programNetwork, rollBackPeriodBlocks: 0 },
  "of the benchmark with 500 transactions a block": { ...network, transactionsPerBlock: 500 },
  "of the benchmark with exits for 10 % of L2 transactions": { ...network, exitShare: 0.1 },
  "of the benchmark with 1,000 users": { ...network, users: 1000 }
}

/**
 * Compares the CPU time of ingesting networks, in turn and in new databases: of this process with its
 * threads, without generating the blocks, and of the database. The first quarter is not counted.
 */
export const benchNetworks = async (
  cluster: Cluster,
  { rounds, rows }: { readonly rounds: number; readonly rows: number }
): Promise<void> => {
  const costs = Object.entries(networks).map(([name, options]) => ({
    name,
    options,
    node: new Array<number>(),
    database: new Array<number>()
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { database, node, options } of costs) {
      const cost = await costOfNetwork(await cluster.createDatabase(), rows, options)
      node.push(cost.node)
      database.push(cost.database)
    }
  }
  const [base] = costs
  for (const { database, name, node } of costs) {
    const isBase = node === base!.node
    showFigure({
      name: `CPU time to ingest the network ${name}${isBase ? "" : " ÷ that of the benchmark"}`,
      bound: name === "of npm start" ? "≤ 2" : undefined,
      measured: isBase
        ? `Node ${told(node)} ms, PostgreSQL ${told(database)} ms for 1,000 transactions`
        : `Node ${ratio(node, base!.node)}, PostgreSQL ${ratio(database, base!.database)}`,
      conditions: isBase ? undefined : `Node ${told(node)} ms, PostgreSQL ${told(database)} ms`
    })
  }
}

const told = (values: ReadonlyArray<number>): string => {
  const { median: middle, spread } = median(values)
  return `${middle.toFixed(1)} ± ${spread.toFixed(1)}`
}

/** The ratio of each round, since the speed of the machine changes between rounds. */
const ratio = (values: ReadonlyArray<number>, base: ReadonlyArray<number>): string =>
  ratioText(values.map((value, round) => value / base[round]!))

/** Returns the milliseconds of CPU time for a thousand transactions. */
const costOfNetwork = async (url: string, rows: number, options: SimulationOptions) => {
  const cost = { node: 0, database: 0 }
  let [counted, before] = [0, { transactions: 0, database: 0 }]
  const ledger = await ingestLedger(url, rows, async (transactions, { cpuMs }) => {
    const database = await databaseCpuMs(url)
    if (before.transactions > rows / 4) {
      cost.node += cpuMs
      cost.database += database - before.database
      counted += transactions - before.transactions
    }
    before = { transactions, database }
  }, options)
  await ledger.close()
  return { node: cost.node / counted * 1000, database: cost.database / counted * 1000 }
}
