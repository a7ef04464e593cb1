import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { createInterface } from "node:readline"

/** What is asked for in turn. */
export interface Asking {
  readonly port: number
  readonly paths: ReadonlyArray<string>
  readonly connections: number
  readonly durationMs: number
  /** Null asks again as soon as an answer is there. */
  readonly ratePerSecond: number | null
}

export interface Quantiles {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** What came of it: answers a second, and of each request how long its answer took from when it was due, and how late it was sent while a connection was free. */
export interface Told {
  readonly perSecond: number
  readonly latencyMs: Quantiles | null
  readonly latenessMs: Quantiles | null
}

export interface PacedClient {
  readonly ask: (asking: Asking) => Promise<Told>
  readonly stop: () => void
}

/** Whether the client has a core that the server, which is on the first one, has not. */
export const hasOwnCore = existsSync("/usr/bin/taskset") && availableParallelism() > 1

/** The client in a process of its own, on the last core where the system lets one choose. Much room for what is new spares it pauses. */
export const startPacedClient = (): PacedClient => {
  const pinned = hasOwnCore ? ["taskset", "-c", String(availableParallelism() - 1)] : []
  const [command, ...args] = [
    ...pinned,
    process.execPath,
    "--min-semi-space-size=64",
    "--max-semi-space-size=64",
    new URL("./_paced_client.ts", import.meta.url).pathname
  ]
  const child = spawn(command!, args, { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    ask: async (asking) => {
      child.stdin.write(`${JSON.stringify(asking)}\n`)
      const line = await lines.next()
      if (line.done === true) throw new Error("The client has ended before it told what came of it")
      return JSON.parse(line.value) as Told
    },
    stop: () => child.stdin.end()
  }
}
