import cluster, { type Worker } from "node:cluster"
import { Deferred, Effect, Exit } from "effect"
import { RestartDelay } from "./_restart_delay.ts"
import type { WorkerGroup } from "./group.ts"
import {
  roleEnvironment,
  type SupervisorMessage,
  type WorkerMessage,
  type WorkerRole
} from "./role.ts"

/** Options of `supervise`. */
export interface SupervisorOptions {
  /** Time that a worker may take to drain before it is killed. */
  readonly drainMaxMs: number
  /** The group of these workers, which the supervisor keeps up to date. */
  readonly group: WorkerGroup
}

/**
 * Runs workers that serve one port until it is interrupted, then drains them. The first worker
 * starts alone, since it may migrate the database; the rest start once it serves. A worker that
 * exits is restarted with growing delay. If the first worker exits before it serves, the program
 * exits with its code.
 *
 * Node 24 keeps a connection open without an answer if it was handed to a worker that is killed
 * before it accepts it: at most one for each killed worker.
 */
export const supervise = ({ drainMaxMs, group }: SupervisorOptions): Effect.Effect<never> =>
  Effect.gen(function*() {
    const { workers } = group
    // metrics can be infinite, which JSON cannot express
    cluster.setupPrimary({ serialization: "advanced" })
    // the kernel's balancing is cheaper, but distributes connections unevenly
    cluster.schedulingPolicy = cluster.SCHED_RR
    // a blocked worker does not notice that its supervisor has exited
    process.on("exit", () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGKILL")
    })
    const firstAddress = yield* Deferred.make<string>()

    const keepRunning = (number: number): Effect.Effect<never> =>
      Effect.gen(function*() {
        const delay = new RestartDelay()
        for (;;) {
          const { exitCause, name } = yield* runWorker({ number, workers }, {
            drainMaxMs,
            group,
            onServing: (name, address) =>
              Effect.gen(function*() {
                delay.serving(Date.now())
                yield* Effect.log(`${name} is serving`)
                yield* Deferred.succeed(firstAddress, address)
              })
          })
          if (!Deferred.isDoneUnsafe(firstAddress)) {
            process.exit(typeof exitCause === "number" ? exitCause : 1)
          }
          group.onRestart(number)
          const delayMs = delay.afterExit(Date.now())
          const restart = `restarting in ${delayMs / 1000} s`
          yield* Effect.logWarning(`${name} ended with ${exitCause}; ${restart}`)
          yield* Effect.sleep(delayMs)
        }
      })

    const startOtherWorkers = Effect.gen(function*() {
      const address = yield* Deferred.await(firstAddress)
      yield* Effect.log(`Listening on ${address}, documentation at /docs; ${workers} workers`)
      const otherNumbers = Array.from({ length: workers - 1 }, (_, i) => i + 2)
      return yield* Effect.forEach(otherNumbers, keepRunning, {
        concurrency: "unbounded",
        discard: true
      })
    })
    yield* Effect.all([keepRunning(1), startOtherWorkers], { concurrency: "unbounded" })
    return yield* Effect.never
  })

/** A signal, an exit code, or the error that prevented the start of the process. */
type ExitCause = NodeJS.Signals | number | string

interface WorkerOptions extends SupervisorOptions {
  readonly onServing: (name: string, address: string) => Effect.Effect<void>
}

/** Runs one worker until it ends. If interrupted, drains it, or kills it if it has just started. */
const runWorker = (
  role: WorkerRole,
  { drainMaxMs, group, onServing }: WorkerOptions
): Effect.Effect<{ readonly name: string; readonly exitCause: ExitCause }> =>
  Effect.acquireUseRelease(
    Effect.sync(() => fork(role, group)),
    ({ ended, name, serving }) =>
      Effect.raceFirst(
        Effect.map(ended, (exitCause) => ({ name, exitCause })),
        Effect.andThen(
          Effect.flatMap(serving, (address) => onServing(name, address)),
          Effect.never
        )
      ),
    (worker, exit) => Exit.isSuccess(exit) ? Effect.void : drain(worker, drainMaxMs)
  )

interface StartedWorker {
  readonly worker: Worker
  readonly name: string
  readonly serving: Effect.Effect<string>
  readonly ended: Effect.Effect<ExitCause>
  readonly isDrainable: () => boolean
}

const fork = (role: WorkerRole, group: WorkerGroup): StartedWorker => {
  const worker = cluster.fork(roleEnvironment(role))
  const [serving, ended] = [Deferred.makeUnsafe<string>(), Deferred.makeUnsafe<ExitCause>()]
  let isDrainable = false
  worker.on("message", (message: WorkerMessage) => {
    if (message.kind === "started") isDrainable = true
    if (message.kind === "reporting") group.onReporting(role.number, worker)
    if (message.kind === "serving") Deferred.doneUnsafe(serving, Exit.succeed(message.address))
  })
  worker.on("exit", (code, signal) => {
    group.onExit(role.number)
    // Node declares the signal as a string; it is null if the worker exited
    Deferred.doneUnsafe(ended, Exit.succeed((signal as NodeJS.Signals | null) ?? code))
  })
  worker.on("error", (error) => {
    // ignores errors of messages to a worker that is about to exit
    if (worker.process.pid === undefined) Deferred.doneUnsafe(ended, Exit.succeed(error.message))
  })
  return {
    worker,
    name: `Worker ${role.number} of ${role.workers} (process ${worker.process.pid})`,
    serving: Deferred.await(serving),
    ended: Deferred.await(ended),
    isDrainable: () => isDrainable
  }
}

const drain = ({ ended, isDrainable, worker }: StartedWorker, drainMaxMs: number) =>
  Effect.suspend(() => {
    if (isDrainable()) worker.send({ kind: "drain" } satisfies SupervisorMessage)
    const kill = setTimeout(() => worker.process.kill("SIGKILL"), isDrainable() ? drainMaxMs : 0)
    return Effect.andThen(ended, Effect.sync(() => clearTimeout(kill)))
  })
