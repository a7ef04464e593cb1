import { readFileSync } from "node:fs"

/** Where a process had to wait for a processor, which is the fault of neither the server nor the clients: others took it, or both did. */
export interface Waits {
  /** Of the time, how much it waited. */
  readonly share: number
  /** Times in which it waited for too long, by the clock of the machine. */
  readonly long: ReadonlyArray<readonly [fromMs: number, toMs: number]>
}

/** It is looked at so often. */
const windowMs = 100
/** More than that in a window is too long. */
export const longMs = 20

/** Watches how long the main thread of each process waits for a processor. Linux tells; elsewhere nobody waits. */
export const watchProcessors = (pids: ReadonlyArray<number>) => {
  const waitedMs = (pid: number): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
    } catch {
      return 0
    }
  }
  const clockMs = () => Number(process.hrtime.bigint()) / 1e6
  const take = () => ({ atMs: clockMs(), waitedMs: pids.map(waitedMs) })
  let first = take()
  let last = first
  const long = pids.map(() => [] as Array<Waits["long"][number]>)
  const timer = setInterval(() => {
    const now = take()
    for (const [i, waited] of now.waitedMs.entries()) {
      if (waited - last.waitedMs[i]! > longMs) long[i]!.push([last.atMs, now.atMs])
    }
    last = now
  }, windowMs)
  return {
    /** Since it was asked last. */
    waits: (): ReadonlyArray<Waits> => {
      const now = take()
      const told = pids.map((_, i): Waits => ({
        share: (now.waitedMs[i]! - first.waitedMs[i]!) / (now.atMs - first.atMs),
        long: long[i]!.splice(0)
      }))
      first = now
      return told
    },
    stop: () => clearInterval(timer)
  }
}
