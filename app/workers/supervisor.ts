import cluster, { type Worker } from "node:cluster"
import { Deferred, Effect, Exit } from "effect"
import { RestartDelay } from "./_restart_delay.ts"
import {
  roleEnvironment,
  type SupervisorMessage,
  type WorkerMessage,
  type WorkerRole
} from "./role.ts"

export interface SupervisorOptions {
  readonly workers: number
  /** How long a worker may take to drain before it is killed. */
  readonly drainMaxMs: number
}

/**
 * Runs workers that serve one port until it is interrupted, then drains them. The first worker
 * starts alone, since it may migrate the database; the others start once it serves. A worker that
 * exits is restarted with growing delay. If the first worker exits before it serves, the program
 * exits with its code.
 *
 * Node 24 keeps a connection open without an answer if it was handed to a worker that is killed
 * before it accepts it: at most one for each killed worker.
 */
export const supervise = ({ drainMaxMs, workers }: SupervisorOptions): Effect.Effect<never> =>
  Effect.gen(function*() {
    // the kernel's balancing is cheaper, but gave one of four workers 1 of 32 connections
    cluster.schedulingPolicy = cluster.SCHED_RR
    // a worker that is blocked does not notice that its supervisor is gone
    process.on("exit", () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGKILL")
    })
    const firstAddress = yield* Deferred.make<string>()

    const keepRunning = (place: number): Effect.Effect<never> =>
      Effect.gen(function*() {
        const delay = new RestartDelay()
        for (;;) {
          const { ending, name } = yield* runWorker({ place, workers }, {
            drainMaxMs,
            onServing: (name, address) =>
              Effect.gen(function*() {
                delay.serving(Date.now())
                yield* Effect.log(`${name} is serving`)
                yield* Deferred.succeed(firstAddress, address)
              })
          })
          if (!Deferred.isDoneUnsafe(firstAddress)) {
            process.exit(typeof ending === "number" ? ending : 1)
          }
          const delayMs = delay.afterExit(Date.now())
          const restart = `restarting in ${delayMs / 1000} s`
          yield* Effect.logWarning(`${name} ended with ${ending}; ${restart}`)
          yield* Effect.sleep(delayMs)
        }
      })

    const others = Effect.gen(function*() {
      const address = yield* Deferred.await(firstAddress)
      yield* Effect.log(`Listening on ${address}, documentation at /docs; ${workers} workers`)
      const places = Array.from({ length: workers - 1 }, (_, i) => i + 2)
      return yield* Effect.forEach(places, keepRunning, { concurrency: "unbounded", discard: true })
    })
    yield* Effect.all([keepRunning(1), others], { concurrency: "unbounded" })
    return yield* Effect.never
  })

/** A signal, an exit code, or why no process was started. */
type Ending = NodeJS.Signals | number | string

interface WorkerOptions extends Pick<SupervisorOptions, "drainMaxMs"> {
  readonly onServing: (name: string, address: string) => Effect.Effect<void>
}

/** Runs one worker until it ends. If interrupted, drains it, or kills it if it has just started. */
const runWorker = (
  role: WorkerRole,
  { drainMaxMs, onServing }: WorkerOptions
): Effect.Effect<{ readonly name: string; readonly ending: Ending }> =>
  Effect.acquireUseRelease(
    Effect.sync(() => fork(role)),
    ({ ended, name, serving }) =>
      Effect.raceFirst(
        Effect.map(ended, (ending) => ({ name, ending })),
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
  readonly ended: Effect.Effect<Ending>
  readonly isDrainable: () => boolean
}

const fork = (role: WorkerRole): StartedWorker => {
  const worker = cluster.fork(roleEnvironment(role))
  const [serving, ended] = [Deferred.makeUnsafe<string>(), Deferred.makeUnsafe<Ending>()]
  let isDrainable = false
  worker.on("message", (message: WorkerMessage) => {
    if (message.kind === "started") isDrainable = true
    else Deferred.doneUnsafe(serving, Exit.succeed(message.address))
  })
  worker.on("exit", (code, signal) => {
    // Node declares the signal as a string; it is null if the worker exited
    Deferred.doneUnsafe(ended, Exit.succeed((signal as NodeJS.Signals | null) ?? code))
  })
  worker.on("error", (error) => {
    // others are about messages to a worker that is about to exit
    if (worker.process.pid === undefined) Deferred.doneUnsafe(ended, Exit.succeed(error.message))
  })
  return {
    worker,
    name: `Worker ${role.place} of ${role.workers} (process ${worker.process.pid})`,
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
