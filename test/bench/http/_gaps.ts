import { spawn } from "node:child_process"
import { pinned } from "../_servers.ts"

/** The times when the machine takes the core away from a process. */
export interface Gaps {
  readonly durationMs: number
  readonly gapsMs: ReadonlyArray<number>
}

/** Watches the core on which servers run, without a server. */
export const watchGaps = (durationMs: number): Promise<Gaps> =>
  new Promise((resolve, reject) => {
    const [command, ...args] = [
      ...pinned,
      process.execPath,
      new URL("./_gaps_probe.ts", import.meta.url).pathname,
      String(durationMs)
    ]
    const child = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] })
    let output = ""
    child.stdout.on("data", (text) => output += text)
    child.on("error", reject).on("close", () => {
      try {
        resolve({ durationMs, gapsMs: JSON.parse(output) as Array<number> })
      } catch (error) {
        reject(error)
      }
    })
  })

/**
 * Returns the least p99 that the gaps alone cause. Requests arrive during a gap; the server, which
 * is busy for a share of its time, catches up during the rest of it, and the waiting time decreases
 * evenly until then.
 */
export const leastP99 = ({ durationMs, gapsMs }: Gaps, busy: number): number => {
  const waiting = (ms: number) =>
    gapsMs.reduce((sum, gap) => sum + Math.max(0, gap - ms), 0) / (1 - busy) / durationMs
  let [low, high] = [0, Math.max(0, ...gapsMs)]
  while (high - low > 0.001) {
    const middle = (low + high) / 2
    if (waiting(middle) > 0.01) low = middle
    else high = middle
  }
  return low
}

export const tellGaps = ({ durationMs, gapsMs }: Gaps): string => {
  const sum = gapsMs.reduce((all, gap) => all + gap, 0)
  return `The machine takes its core away from a process that does nothing but look at the clock ${
    Math.round(gapsMs.length / durationMs * 1000)
  } times a second, ` +
    `for ${(sum / gapsMs.length || 0).toFixed(2)} ms on average and ${
      Math.max(0, ...gapsMs).toFixed(2)
    } at most, ${(100 * sum / durationMs).toFixed(2)} % of the time`
}
