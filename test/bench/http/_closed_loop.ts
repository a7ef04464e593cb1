import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"

/** A run of clients that each send a request as soon as they have the answer to the one before. */
export interface ClosedLoop {
  readonly port: number
  /** Pages that were not requested before, or transactions that were not posted before. */
  readonly kind: "reads" | "posts"
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

export interface ClosedLoopClients {
  readonly run: (load: ClosedLoop) => Promise<ClosedLoopResult>
  /** Adds bodies of transactions to post. */
  readonly addBodies: (bodies: ReadonlyArray<string>) => void
  readonly stop: () => void
}

/** Starts the clients in their own process, on the last core if the system allows it. */
export const startClosedLoopClients = (): ClosedLoopClients => {
  const pinned = existsSync("/usr/bin/taskset")
    ? ["taskset", "-c", String(availableParallelism() - 1)]
    : []
  const script = fileURLToPath(import.meta.resolve("./_closed_loop_client.ts"))
  const [command, ...args] = [...pinned, process.execPath, script]
  const child = spawn(command!, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  return {
    run: (load) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error("The clients have ended without a result"))
        child.once("exit", fail)
        child.once("message", (result: ClosedLoopResult) => {
          child.off("exit", fail)
          resolve(result)
        })
        child.send(load)
      }),
    addBodies: (bodies) => void child.send({ bodies }),
    stop: () => {
      if (child.connected) child.disconnect()
    }
  }
}
