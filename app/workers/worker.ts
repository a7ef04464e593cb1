import cluster from "node:cluster"
import { Effect } from "effect"
import { type SupervisorMessage, type WorkerMessage, type WorkerRole, workerRole } from "./role.ts"

/** The role of this worker, and its connection to the supervisor. */
export interface WorkerSelf extends WorkerRole {
  /** Reports to the supervisor that this worker answers requests at an address. */
  readonly serving: (address: string) => Effect.Effect<void>
}

/**
 * Runs a service as a worker until the supervisor drains it: then interrupts it, and lets the
 * process exit. Passes undefined if this process is not a worker.
 *
 * If the supervisor dies, Node ends the worker: it exits when the channel to its primary closes
 * without `worker.disconnect()`.
 */
export const runAsWorker = <A, E, R>(
  run: (self: WorkerSelf | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A | void, E, R> =>
  Effect.suspend(() => {
    const [role, worker] = [workerRole(), cluster.worker]
    if (role === undefined || worker === undefined) return run(undefined)
    const send = (message: WorkerMessage) => void worker.send(message)
    const drained = Effect.callback<void>((resume) => {
      worker.on("message", ({ kind }: SupervisorMessage) => {
        if (kind === "drain") resume(Effect.void)
      })
      send({ kind: "started" })
    })
    const serving = (address: string) => Effect.sync(() => send({ kind: "serving", address }))
    return Effect.raceFirst(drained, run({ ...role, serving })).pipe(
      // the supervisor hands connections that this worker did not accept to other workers first
      Effect.tap(Effect.sync(() => worker.disconnect()))
    )
  })
