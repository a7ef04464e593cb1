import { readFileSync } from "node:fs"

/** Times when a process waited for a processor because other processes used them. */
export interface Waits {
  /** The share of time that it waited. */
  readonly share: number
  /** Intervals in which it waited for too long, by the clock of the machine. */
  readonly long: ReadonlyArray<readonly [fromMs: number, toMs: number]>
}

/** The clock that all processes of the machine share. */
export const clockMs = () => Number(process.hrtime.bigint()) / 1e6

/** Sampling interval. */
const windowMs = 100
/** Waiting for longer than this within an interval is too long. */
export const longMs = 20

/**
 * Watches how long the main thread of each process waits for a processor. Only Linux reports it;
 * elsewhere the result is 0.
 */
export const watchProcessors = (pids: ReadonlyArray<number>) => {
  const waitedMs = (pid: number): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
    } catch {
      return 0
    }
  }
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
    /** Returns the waits since the last call. */
    waits: (): ReadonlyArray<Waits> => {
      const now = take()
      const result = pids.map((_, i): Waits => ({
        share: (now.waitedMs[i]! - first.waitedMs[i]!) / (now.atMs - first.atMs),
        long: long[i]!.splice(0)
      }))
      first = now
      return result
    },
    stop: () => clearInterval(timer)
  }
}
