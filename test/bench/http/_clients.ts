import { spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { onCore } from "../_servers.ts"

/** Clients that each send a request as soon as they have the answer to the one before. */
export interface ClosedLoop {
  readonly port: number
  /** Paths in turn, pages that were not requested before, or transactions that were not posted. */
  readonly requests: ReadonlyArray<string> | "new pages" | "posts"
  readonly connections: number
  /** Time before the measurement, in which the server may be overloaded and recover. */
  readonly settleMs: number
  readonly durationMs: number
}

export interface ClosedLoopResult {
  readonly servedPerSecond: number
  /** Answers with status 503. */
  readonly refusedPerSecond: number
  /** Number of bodies that no client has posted yet. */
  readonly bodiesLeft: number
}

/** Requests at even intervals, in turn. */
export interface Paced {
  readonly port: number
  readonly paths: ReadonlyArray<string>
  readonly connections: number
  readonly durationMs: number
  readonly ratePerSecond: number
}

export interface Quantiles {
  readonly p50: number
  readonly p99: number
}

export interface PacedResult {
  readonly perSecond: number
  /** The time from when a request was due to its answer. */
  readonly latencyMs: Quantiles
  /** How late a request was sent while a connection was free. */
  readonly latenessMs: Quantiles
}

export interface Clients extends Disposable {
  readonly closedLoop: (load: ClosedLoop) => Promise<ClosedLoopResult>
  readonly paced: (load: Paced) => Promise<PacedResult>
  /** Adds bodies of transactions to post. */
  readonly addBodies: (bodies: ReadonlyArray<string>) => void
}

/**
 * Starts the clients in their own process, on the last core if the system allows it. A large young
 * generation avoids pauses.
 */
export const startClients = (): Clients => {
  const [command, ...args] = [
    ...onCore(availableParallelism() - 1),
    process.execPath,
    "--min-semi-space-size=64",
    "--max-semi-space-size=64",
    fileURLToPath(import.meta.resolve("./_client.ts"))
  ]
  const child = spawn(command!, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const ended = once(child, "exit").then(() => {
    throw new Error("The clients have ended without a result")
  })
  ended.catch(() => {})
  const run = async <Result>(load: ClosedLoop | Paced): Promise<Result> => {
    child.send(load)
    return (await Promise.race([once(child, "message"), ended]))[0] as Result
  }
  return {
    closedLoop: run<ClosedLoopResult>,
    paced: run<PacedResult>,
    addBodies: (bodies) => void child.send({ bodies }),
    [Symbol.dispose]: () => child.disconnect()
  }
}
