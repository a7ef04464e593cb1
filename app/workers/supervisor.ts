import cluster from "node:cluster"
import { Deferred, Effect, Exit } from "effect"
import type { WorkerGroup } from "./group.ts"
import { numberVariable, type SupervisorMessage, type WorkerMessage } from "./worker.ts"

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
export const supervise = (options: SupervisorOptions): Effect.Effect<never> =>
  Effect.gen(function*() {
    // metrics can be infinite, which JSON cannot express
    cluster.setupPrimary({ serialization: "advanced" })
    // the kernel's balancing is cheaper, but distributes connections unevenly
    cluster.schedulingPolicy = cluster.SCHED_RR
    // a blocked worker does not notice that its supervisor has exited
    process.on("exit", () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGKILL")
    })
    yield* Effect.forEach(options.group.numbers, (number) =>
      Effect.andThen(
        number === 1 ? Effect.void : Deferred.await(options.group.firstServes),
        keepRunning(number, options)
      ), { concurrency: "unbounded" })
    return yield* Effect.never
  })

/** Runs a worker and restarts it whenever it exits. If interrupted, drains it. */
const keepRunning = (number: number, { drainMaxMs, group }: SupervisorOptions) => {
  const delay = new RestartDelay()
  const runOnce = Effect.gen(function*() {
    const { ended, name, serving } = yield* Effect.acquireRelease(
      Effect.sync(() => fork(number, group)),
      (worker) => drain(worker, drainMaxMs)
    )
    yield* Effect.forkScoped(Effect.gen(function*() {
      const address = yield* Deferred.await(serving)
      delay.serving(performance.now())
      yield* Effect.log(`${name} is serving`)
      if (!(yield* Deferred.succeed(group.firstServes, undefined))) return
      const { length } = group.numbers
      yield* Effect.log(`Listening on ${address}, documentation at /docs; ${length} workers`)
    }))
    const exitCause = yield* Deferred.await(ended)
    if (!Deferred.isDoneUnsafe(group.firstServes)) {
      process.exit(typeof exitCause === "number" ? exitCause : 1)
    }
    group.restarts.set(number, (group.restarts.get(number) ?? 0) + 1)
    const delayMs = delay.afterExit(performance.now())
    yield* Effect.logWarning(`${name} ended with ${exitCause}; restarting in ${delayMs / 1000} s`)
    return delayMs
  })
  return Effect.forever(Effect.flatMap(Effect.scoped(runOnce), (delayMs) => Effect.sleep(delayMs)))
}

/** Starts a worker, which is in the group until it ends. */
const fork = (number: number, group: WorkerGroup) => {
  const worker = cluster.fork({ [numberVariable]: number })
  const serving = Deferred.makeUnsafe<string>()
  /** A signal, an exit code, or the error that prevented the start of the process. */
  const ended = Deferred.makeUnsafe<string | number>()
  worker.on("message", (message: WorkerMessage) => {
    if (message.kind === "started") group.running.set(number, worker)
    if (message.kind === "serving") Deferred.doneUnsafe(serving, Exit.succeed(message.address))
  })
  worker.on("exit", (code, signal) => {
    group.running.delete(number)
    // Node declares the signal as a string; it is null if the worker exited
    Deferred.doneUnsafe(ended, Exit.succeed((signal as string | null) ?? code))
  })
  worker.on("error", (error) => {
    // ignores errors of messages to a worker that is about to exit
    if (worker.process.pid === undefined) Deferred.doneUnsafe(ended, Exit.succeed(error.message))
  })
  const name = `Worker ${number} of ${group.numbers.length} (process ${worker.process.pid})`
  return { name, worker, serving, ended, isDrainable: () => group.running.has(number) }
}

/** Drains a worker that runs, or kills it if it has just started. */
const drain = ({ ended, isDrainable, worker }: ReturnType<typeof fork>, drainMaxMs: number) =>
  Effect.suspend(() => {
    if (isDrainable()) worker.send("drain" satisfies SupervisorMessage)
    const kill = setTimeout(() => worker.process.kill("SIGKILL"), isDrainable() ? drainMaxMs : 0)
    return Effect.andThen(Deferred.await(ended), Effect.sync(() => clearTimeout(kill)))
  })

/** After serving for this time a worker is healthy, and earlier failures no longer count. */
const healthyMs = 30_000
const delayMinMs = 100
const delayMaxMs = 30_000

/** Exponential backoff for restarts of one worker. */
export class RestartDelay {
  #failures = 0
  #servingSinceMs: number | undefined

  /** Notes that the worker serves. */
  serving(nowMs: number): void {
    this.#servingSinceMs = nowMs
  }

  /** Returns the delay before the next start, in milliseconds. */
  afterExit(nowMs: number): number {
    const servedMs = this.#servingSinceMs === undefined ? 0 : nowMs - this.#servingSinceMs
    if (servedMs >= healthyMs) this.#failures = 0
    this.#servingSinceMs = undefined
    return Math.min(delayMaxMs, delayMinMs * 2 ** this.#failures++)
  }
}
