import { Effect } from "effect"
import { Worker } from "node:worker_threads"
import type { Network } from "../../core/domain/mod.ts"
import { VerifierBusy } from "../../core/ports/mod.ts"

/** The part of a worker thread that the pool uses. It replies to each message, in order. */
export interface WorkerThread {
  readonly postMessage: (requests: ReadonlyArray<unknown>) => void
  readonly terminate: () => Promise<unknown>
  /** The thread keeps the process alive after `ref`, and no longer after `unref`. */
  readonly ref: () => void
  readonly unref: () => void
  on(event: "message", listener: (results: ReadonlyArray<unknown>) => void): unknown
  on(event: "error", listener: (cause: unknown) => void): unknown
  on(event: "exit", listener: () => void): unknown
}

/** Starts a thread that replies to arrays of requests with arrays of their results. */
export const startWorker = (name: string, network: Network): WorkerThread => {
  // the source, if this runtime executes TypeScript; otherwise the build, which bundles keep beside
  // this file under the same name
  const file = import.meta.url.endsWith(".ts") ? "./_worker.ts" : "./_worker.js"
  return new Worker(new URL(file, import.meta.url), { name, workerData: network })
}

/** The options of `workerPool`. */
export interface WorkerPoolOptions {
  /** Starts a thread. */
  readonly start: () => WorkerThread
  readonly workersMax: number
  /** Maximum number of queued requests, without those that a worker has received. */
  readonly queueMax: number
}

/** A pool of worker threads with a bounded queue. */
export interface WorkerPool<Request, Reply = boolean> {
  /**
   * Returns the result of the request. Fails with `VerifierBusy` if the queue is full. If it is
   * interrupted while it is queued, it leaves the queue. Dies if two workers crash over the
   * request.
   */
  readonly run: (request: Request) => Effect.Effect<Reply, VerifierBusy>
  readonly stats: () => WorkerPoolStats
  /** Terminates the workers, and interrupts all unfinished requests. */
  readonly close: Effect.Effect<void>
}

/** Counts since the pool was created, and current numbers. */
export interface WorkerPoolStats {
  /** Requests that no worker has received yet. */
  readonly queued: number
  /** Requests that a worker has received and not answered. */
  readonly running: number
  readonly workers: number
  readonly completed: number
  /** Requests that failed because the queue was full. */
  readonly rejected: number
  /** Workers that ended although the pool did not terminate them. */
  readonly crashed: number
}

// Not `effect/workers`: it has no queue bound, batches or replacement of crashed threads, and its
// runner loads Effect into each thread.
/**
 * Returns a pool of worker threads. A worker starts if a request needs it, is replaced if it
 * crashes, and does not keep the process alive while it is idle.
 */
export function workerPool<Request, Reply = boolean>(
  { queueMax, start, workersMax }: WorkerPoolOptions
): WorkerPool<Request, Reply> {
  const workers = new Set<PoolWorker<Request, Reply>>()
  let queue = new Set<Job<Request, Reply>>()
  let closed = false
  let [completed, rejected, crashed] = [0, 0, 0]
  const retryAfterSeconds = Math.max(1, Math.ceil((queueMax / workersMax) * SECONDS_PER_REQUEST))

  /**
   * Sends batches to idle workers first, then to new ones. Each gets a second batch, so that it
   * does not wait while the results of the first one travel back.
   */
  function dispatch(): void {
    for (let ahead = 1; ahead <= BATCHES_AHEAD; ahead++) {
      for (const worker of workers) if (worker.batches.length < ahead) send(worker)
      while (workers.size < workersMax && queue.size > 0) send(spawn())
    }
  }

  function send(worker: PoolWorker<Request, Reply>): void {
    const batch = takeBatch(queue, Math.min(BATCH_MAX, Math.ceil(queue.size / workersMax)))
    if (batch.length === 0) return
    worker.batches.push(batch)
    worker.thread.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.thread.postMessage(batch.map(({ request }) => request))
  }

  function spawn(): PoolWorker<Request, Reply> {
    const worker: PoolWorker<Request, Reply> = { thread: start(), batches: [], cause: undefined }
    workers.add(worker)
    worker.thread.on("message", (results) => {
      const batch = worker.batches.shift() ?? []
      completed += batch.length
      for (const [i, job] of batch.entries()) job.resume(Effect.succeed(results[i] as Reply))
      if (worker.batches.length === 0) worker.thread.unref()
      dispatch()
    })
    worker.thread.on("error", (cause) => worker.cause = cause)
    worker.thread.on("exit", () => {
      workers.delete(worker)
      if (closed) return
      crashed++
      requeue(worker)
    })
    return worker
  }

  /**
   * Puts the requests of a crashed worker back to the front of the queue. One of its first batch
   * may have caused the crash: these are sent once more, each alone.
   */
  function requeue({ batches, cause }: PoolWorker<Request, Reply>): void {
    for (const job of batches[0] ?? []) job.crashes++
    const lost = batches.flat()
    for (const job of lost) {
      if (job.crashes > 1) {
        job.resume(Effect.die(new Error("Verification ended its worker twice", { cause })))
      }
    }
    queue = new Set([...lost.filter(({ crashes }) => crashes <= 1), ...queue])
    dispatch()
  }

  return {
    run: (request) =>
      Effect.callback<Reply, VerifierBusy>((resume) => {
        if (closed) return resume(Effect.interrupt)
        if (queue.size >= queueMax) {
          rejected++
          return resume(Effect.fail(new VerifierBusy({ retryAfterSeconds })))
        }
        const job: Job<Request, Reply> = { request, resume, crashes: 0 }
        queue.add(job)
        dispatch()
        return Effect.sync(() => {
          queue.delete(job)
        })
      }),
    stats: () => ({
      queued: queue.size,
      workers: workers.size,
      completed,
      rejected,
      crashed,
      running: [...workers].reduce(
        (sum, { batches }) => sum + batches.reduce((sum, batch) => sum + batch.length, 0),
        0
      )
    }),
    close: Effect.promise(async () => {
      closed = true
      const jobs = [...queue, ...[...workers].flatMap(({ batches }) => batches.flat())]
      // a terminating thread does not reliably keep the process alive, which could exit before the
      // code after `close` runs
      const keepAlive = setInterval(() => {}, 1000)
      await Promise.all([...workers].map(({ thread }) => thread.terminate()))
      clearInterval(keepAlive)
      for (const { resume } of jobs) resume(Effect.interrupt)
    })
  }
}

interface Job<Request, Reply> {
  readonly request: Request
  readonly resume: (result: Effect.Effect<Reply, VerifierBusy>) => void
  /** Workers that crashed while the request was in their first batch. */
  crashes: number
}

interface PoolWorker<Request, Reply> {
  readonly thread: WorkerThread
  /** The unanswered batches, in the order in which they were sent and will be answered. */
  readonly batches: Array<ReadonlyArray<Job<Request, Reply>>>
  cause: unknown
}

/**
 * Maximum number of requests in a message. Larger batches gain nothing: a message costs about a
 * hundredth of a verification, and a result waits for its whole batch.
 */
const BATCH_MAX = 8
const BATCHES_AHEAD = 2
/** Duration of a verification, rounded up: determines the retry time of a full queue. */
const SECONDS_PER_REQUEST = 0.003

/** Removes the first requests from the queue. A request over which a worker crashed comes alone. */
function takeBatch<Request, Reply>(
  queue: Set<Job<Request, Reply>>,
  size: number
): ReadonlyArray<Job<Request, Reply>> {
  const batch: Array<Job<Request, Reply>> = []
  for (const job of queue) {
    if (batch.length === size || (job.crashes > 0 && batch.length > 0)) break
    queue.delete(job)
    batch.push(job)
    if (job.crashes > 0) break
  }
  return batch
}
