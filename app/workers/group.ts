import type { Worker } from "node:cluster"
import { Effect } from "effect"
import type { SupervisorMessage, WorkerMessage, WorkerReports } from "./role.ts"

/** The workers of a supervisor: their reports, and how often each was restarted. */
export class WorkerGroup {
  readonly workers: number
  readonly #reporting = new Map<number, Worker>()
  readonly #restarts = new Map<number, number>()
  #lastId = 0

  constructor(workers: number) {
    this.workers = workers
  }

  /** Returns the reports of all workers that answer in time, by number of the worker. */
  reports<Subject extends keyof WorkerReports>(
    subject: Subject,
    timeoutMs: number
  ): Effect.Effect<ReadonlyMap<number, WorkerReports[Subject]>> {
    return Effect.suspend(() =>
      Effect.forEach([...this.#reporting], ([number, worker]) =>
        this.#ask(worker, subject).pipe(
          Effect.map((report) => [[number, report] as const]),
          Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed([]) })
        ), { concurrency: "unbounded" })
    ).pipe(Effect.map((reports) => new Map(reports.flat())))
  }

  /** Returns how often a worker was restarted. */
  restarts(number: number): number {
    return this.#restarts.get(number) ?? 0
  }

  /** Notes that a worker answers requests for reports. */
  onReporting(number: number, worker: Worker): void {
    this.#reporting.set(number, worker)
  }

  /** Notes that a worker has ended. */
  onExit(number: number): void {
    this.#reporting.delete(number)
  }

  /** Notes that a worker is restarted. */
  onRestart(number: number): void {
    this.#restarts.set(number, this.restarts(number) + 1)
  }

  #ask<Subject extends keyof WorkerReports>(
    worker: Worker,
    subject: Subject
  ): Effect.Effect<WorkerReports[Subject]> {
    return Effect.callback((resume) => {
      const id = ++this.#lastId
      const onMessage = (message: WorkerMessage) => {
        if (message.kind !== "report" || message.id !== id) return
        worker.off("message", onMessage)
        resume(Effect.succeed(message.report as WorkerReports[Subject]))
      }
      worker.on("message", onMessage)
      // a worker that is about to exit does not answer
      if (worker.isConnected()) {
        worker.send({ kind: "report", id, subject } satisfies SupervisorMessage)
      }
      return Effect.sync(() => void worker.off("message", onMessage))
    })
  }
}
