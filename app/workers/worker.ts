import cluster from "node:cluster"
import { Effect, type Scope } from "effect"
import {
  type SupervisorMessage,
  type WorkerMessage,
  type WorkerReports,
  type WorkerRole,
  workerRole
} from "./role.ts"

/** The role of this worker, and its connection to the supervisor. */
export interface WorkerSelf extends WorkerRole {
  /** Reports to the supervisor that this worker answers requests at an address. */
  readonly serving: (address: string) => Effect.Effect<void>
  /** Answers requests of the supervisor for reports, until the scope closes. */
  readonly report: (
    reports: { readonly [subject in keyof WorkerReports]: Effect.Effect<WorkerReports[subject]> }
  ) => Effect.Effect<void, never, Scope.Scope>
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
    const report: WorkerSelf["report"] = (reports) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => {
          const onMessage = (message: SupervisorMessage) => {
            if (message.kind !== "report") return
            const { id, subject } = message
            const report: Effect.Effect<WorkerReports[typeof subject]> = reports[subject]
            Effect.runFork(Effect.map(report, (report) => send({ kind: "report", id, report })))
          }
          worker.on("message", onMessage)
          send({ kind: "reporting" })
          return onMessage
        }),
        (onMessage) => Effect.sync(() => worker.off("message", onMessage))
      ))
    return Effect.raceFirst(drained, run({ ...role, serving, report })).pipe(
      // the supervisor hands connections that this worker did not accept to other workers first
      Effect.tap(Effect.sync(() => worker.disconnect()))
    )
  })
