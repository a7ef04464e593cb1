import { Effect } from "effect"
import { simulate, type SimulationOptions } from "../../app/simulator/mod.ts"
import { threadCpuMs, withStores } from "./_stores.ts"

/** What opening the stores of a directory took. */
export interface Opening {
  readonly ms: number
  /** CPU time of the main thread. */
  readonly cpuMs: number
  /** Growth of the resident memory. */
  readonly bytes: number
  /** Records behind the checkpoint. */
  readonly records: number
}

/*
 * Opens the directory in the first argument, whose network has the options in the second one as JSON,
 * and prints an `Opening`, as JSON. It is a process of its own, whose memory grows by the stores alone.
 */
const [directory, options] = process.argv.slice(2)
const { genesis } = simulate(JSON.parse(options!) as SimulationOptions)
const before = { bytes: process.memoryUsage.rss(), ms: performance.now(), cpuMs: threadCpuMs() }
await withStores(directory!, genesis, ({ journal }) =>
  Effect.sync(() => {
    const opening: Opening = {
      ms: performance.now() - before.ms,
      cpuMs: threadCpuMs() - before.cpuMs,
      bytes: process.memoryUsage.rss() - before.bytes,
      records: journal.replayReport.records
    }
    console.log(JSON.stringify(opening))
  }))
