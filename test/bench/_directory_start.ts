import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { simulate, type SimulationOptions } from "../../app/simulator/mod.ts"
import { showFigure } from "./_figures.ts"
import { median } from "./_load.ts"
import { type DirectoryStores, inDirectory, threadCpuMs, withStores } from "./_stores.ts"
import { network, programNetwork } from "./sql/_sql_ledger.ts"

/**
 * Opens the stores of a directory, in a process of its own, whose memory grows by the stores alone.
 * Returns what that took: CPU time of the main thread, and growth of the resident memory.
 */
const open = async (directory: string, options: SimulationOptions) => {
  const { genesis } = simulate(options)
  const before = { bytes: process.memoryUsage.rss(), ms: performance.now(), cpuMs: threadCpuMs() }
  return await withStores(directory, genesis, ({ journal }) =>
    Effect.sync(() => ({
      ms: performance.now() - before.ms,
      cpuMs: threadCpuMs() - before.cpuMs,
      bytes: process.memoryUsage.rss() - before.bytes,
      records: journal.replayReport.records
    })))
}
type Opening = Awaited<ReturnType<typeof open>>
if (import.meta.main) {
  const [directory, options] = process.argv.slice(2)
  console.log(JSON.stringify(await open(directory!, JSON.parse(options!) as SimulationOptions)))
}

/** A directory with the ledger of a network. */
interface Directory {
  readonly directory: string
  readonly options: SimulationOptions
  readonly transactions: number
}

/** Shows how long the stores of a directory take to open, each time in a new process. */
export const showStart = (
  name: string,
  { directory, options, transactions }: Directory,
  rounds: number,
  also?: string
): void => {
  const words = [import.meta.filename, directory, JSON.stringify(options)]
  const openings = Array.from({ length: rounds }, () => {
    // a long replay logs its progress before the last line
    const lines = execFileSync(process.execPath, words, { encoding: "utf8" }).trimEnd().split("\n")
    return JSON.parse(lines.at(-1)!) as Opening
  })
  const text = (member: keyof Opening, unit: number, digits = 2) => {
    const { median: middle, spread } = median(openings.map((each) => each[member] / unit))
    return `${middle.toFixed(digits)} ± ${spread.toFixed(digits)}`
  }
  showFigure({
    name: `${name}, ${transactions} transactions of the network of ${
      options === programNetwork ? "npm start" : "the benchmark"
    }`,
    measured: `${text("ms", 1000)} s`,
    conditions: [
      `${openings[0]!.records} records behind the checkpoint`,
      `${text("cpuMs", 1000)} s of CPU time of the main thread`,
      `${text("bytes", 1000 * transactions)} kB resident for each transaction`,
      also ?? []
    ].flat().join("; ")
  })
}

/** The start over directories of both networks whose process was killed: nothing is closed. */
export const benchStartAfterKill = async (transactions: number, rounds: number): Promise<void> => {
  for (const options of [network, programNetwork]) {
    await inDirectory(async (directory) => {
      const simulation = simulate(options)
      const fill = ({ ledger }: DirectoryStores) =>
        Effect.whileLoop({
          while: () => simulation.transactionCount() < transactions,
          body: () => ledger.applyRecord(simulation.next()),
          step: () => {}
        })
      // with the checkpoints of the program; records are behind the last one
      await withStores(directory, simulation.genesis, fill, {})
      showStart("start after kill -9", { directory, options, transactions }, rounds)
    })
  }
}
