import type { Worker } from "node:cluster"
import { Deferred, Effect } from "effect"
import type { SupervisorMessage, WorkerMessage, WorkerReports } from "./worker.ts"

/**
 * Time for a worker to report. Its own collectors and checks time out after 2 seconds, so a report
 * that takes longer comes from a worker whose event loop is blocked.
 */
export const reportMaxMs = 3000

/** The workers of a supervisor. */
export class WorkerGroup {
  /** Their numbers, from 1. */
  readonly numbers: ReadonlyArray<number>
  /** The running ones. */
  readonly running = new Map<number, Worker>()
  /** Done once the first worker serves. */
  readonly firstServes = Deferred.makeUnsafe<void>()
  /** How often each was restarted. */
  readonly restarts = new Map<number, number>()

  constructor(workers: number) {
    this.numbers = Array.from({ length: workers }, (_, i) => i + 1)
  }

  /** Returns the reports of all workers that answer in time, by number of the worker. */
  reports<Subject extends keyof WorkerReports>(
    subject: Subject
  ): Effect.Effect<ReadonlyMap<number, WorkerReports[Subject]>> {
    return Effect.suspend(() =>
      Effect.forEach([...this.running], ([number, worker]) =>
        ask(worker, subject).pipe(
          Effect.map((report) => [[number, report] as const]),
          Effect.timeoutOrElse({ duration: reportMaxMs, orElse: () => Effect.succeed([]) })
        ), { concurrency: "unbounded" })
    ).pipe(Effect.map((reports) => new Map(reports.flat())))
  }
}

/** Returns the next report of a worker about a subject. */
const ask = <Subject extends keyof WorkerReports>(
  worker: Worker,
  subject: Subject
): Effect.Effect<WorkerReports[Subject]> =>
  Effect.callback((resume) => {
    const onMessage = (message: WorkerMessage) => {
      if (message.kind !== "report" || message.subject !== subject) return
      worker.off("message", onMessage)
      resume(Effect.succeed(message.report as WorkerReports[Subject]))
    }
    worker.on("message", onMessage)
    // a worker that is about to exit does not answer
    if (worker.isConnected()) worker.send(subject satisfies SupervisorMessage)
    return Effect.sync(() => void worker.off("message", onMessage))
  })
