import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** The share of the time that a process may be at work and still count as idle. */
const idleShareMax = 0.05
const watchedMs = 4000
/** What is kept has to be walked through, a megabyte in some milliseconds, in which nothing is answered. */
const heapBytesMax = 64 * 2 ** 20

/**
 * Once nobody has asked anything for some seconds, gives back to the system what the start took and nobody needs any more, a quarter of the
 * memory: left alone, the engine keeps it for what may come. It does so once, and not where so much is kept that it would take a moment.
 */
export const giveBackOnceIdle: Effect.Effect<void> = Effect.gen(function*() {
  for (let before = performance.eventLoopUtilization();;) {
    yield* Effect.sleep(watchedMs)
    if (getHeapStatistics().used_heap_size > heapBytesMax) return
    const now = performance.eventLoopUtilization()
    if (performance.eventLoopUtilization(now, before).utilization < idleShareMax) return yield* Effect.ignore(Effect.try(giveBack))
    before = now
  }
})

/** Other runtimes have other means, or none. */
const giveBack = (): void => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as NodeJS.GCFunction
  // what is compiled is kept for other starts by the flags that it was compiled with
  setFlagsFromString("--no-expose-gc")
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}
