import { Effect } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { Simulation } from "../../app/simulator/mod.ts"
import { showFigure } from "./_figures.ts"
import {
  type DirectoryStores,
  mebibytes,
  postNext,
  seconds,
  threadCpuMs,
  withStores
} from "./_stores.ts"

/**
 * Checkpoints of a directory that has none: the bytes of the first one and of the next, the longest
 * stall of the event loop meanwhile, while a post is written every few milliseconds, and the bytes on
 * disk. The stalls include those of the disk and of other load of the machine; the CPU time of the
 * longest turn does not.
 */
export const benchCheckpoints = async (
  directory: string,
  simulation: Simulation
): Promise<void> => {
  const { genesis } = simulation
  const before = simulation.transactionCount()
  await withStores(directory, genesis, ({ journal, ledger, pool }) =>
    Effect.gen(function*() {
      const [, posts] = yield* stallOf(pool, Effect.sleep(3000))
      const [first, stall] = yield* stallOf(pool, journal.checkpoint)
      showFigure({
        name: `checkpoint of ${before} transactions`,
        measured: `${mebibytes(first.writtenBytes)} in ${seconds(first.durationMs)}`,
        conditions: `longest stall ${stall}, with posts alone ${posts}`
      })
      while (simulation.transactionCount() < before + 10_000) {
        yield* ledger.applyRecord(simulation.next())
      }
      const [next, nextStall] = yield* stallOf(pool, journal.checkpoint)
      showFigure({
        name: `the next one, ${simulation.transactionCount() - before} transactions later`,
        measured: `${mebibytes(next.writtenBytes)} in ${seconds(next.durationMs)}`,
        conditions: `longest stall ${nextStall}`
      })
      showFigure({
        name: "bytes of the checkpoint for each transaction",
        measured: String(Math.round(next.bytes / simulation.transactionCount()))
      })
    }))
  const bytes = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  showFigure({
    name: "size of the directory, with the free space of the records",
    measured: mebibytes(bytes)
  })
}

/**
 * Runs an effect while posts are written. Returns its result and the longest stall meanwhile, as
 * text.
 */
const stallOf = Effect.fnUntraced(
  function*<A, E>(pool: DirectoryStores["pool"], effect: Effect.Effect<A, E>) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    let [lastMs, turnMs] = [threadCpuMs(), 0]
    const timer = setInterval(() => {
      turnMs = Math.max(turnMs, threadCpuMs() - lastMs)
      lastMs = threadCpuMs()
    }, 1)
    const posts = Effect.forever(Effect.andThen(postNext(pool), Effect.sleep(5)))
    const result = yield* Effect.raceFirst(effect, posts)
    delay.disable()
    clearInterval(timer)
    const stall = `${Math.round(delay.max / 1e6)} ms (${Math.round(turnMs)} ms of CPU time)`
    return [result, stall] as const
  }
)
