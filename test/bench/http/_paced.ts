import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { createInterface } from "node:readline"

/** The requested paths, in turn. */
export interface PacedRequests {
  readonly port: number
  readonly paths: ReadonlyArray<string>
  readonly connections: number
  readonly durationMs: number
  /** Null sends a request as soon as an answer has arrived. */
  readonly ratePerSecond: number | null
}

export interface Quantiles {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/**
 * The result: answers per second, and for each request the time from when it was due to its answer,
 * and how late it was sent while a connection was free.
 */
export interface PacedResult {
  readonly perSecond: number
  readonly latencyMs: Quantiles | null
  readonly latenessMs: Quantiles | null
}

export interface PacedClient {
  readonly ask: (asking: PacedRequests) => Promise<PacedResult>
  readonly stop: () => void
}

/** Whether the client has its own core; the server is on the first one. */
export const hasOwnCore = existsSync("/usr/bin/taskset") && availableParallelism() > 1

/**
 * Starts the client in its own process, on the last core if the system allows it. A large young
 * generation avoids pauses.
 */
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
      if (line.done === true) throw new Error("The client has ended without a result")
      return JSON.parse(line.value) as PacedResult
    },
    stop: () => child.stdin.end()
  }
}
