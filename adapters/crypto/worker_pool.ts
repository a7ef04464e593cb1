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

/**
 * Starts a thread that replies to arrays of requests with arrays of their results. Only the
 * verification of an authorization needs the network.
 */
export const startWorker = (name: string, network: Network | null): WorkerThread => {
  // the source, if this runtime executes TypeScript; otherwise the build, which bundles keep beside
  // this file under the same name
  const file = import.meta.url.endsWith(".ts") ? "./_worker.ts" : "./_worker.js"
  return new Worker(new URL(file, import.meta.url), { name, workerData: network })
}

/** The options of a `WorkerPool`. */
export interface WorkerPoolOptions {
  /** Starts a thread. */
  readonly start: () => WorkerThread
  readonly workersMax: number
  /** Maximum number of queued requests, without those that a worker has received. */
  readonly queueMax: number
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
 * A pool of worker threads with a bounded queue. A worker starts if a request needs it, is replaced
 * if it crashes, and does not keep the process alive while it is idle.
 */
export class WorkerPool<Request, Reply = boolean> {
  /** Terminates the workers, and interrupts all unfinished requests. */
  readonly close: Effect.Effect<void> = Effect.promise(() => this.#close())
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<PoolWorker<Request, Reply>>()
  readonly #counts = { completed: 0, rejected: 0, crashed: 0 }
  readonly #retryAfterSeconds: number
  #queue = new Set<Job<Request, Reply>>()
  #isClosed = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    const { queueMax, workersMax } = options
    this.#retryAfterSeconds = Math.max(1, Math.ceil((queueMax / workersMax) * SECONDS_PER_REQUEST))
  }

  /**
   * Returns the result of the request. Fails with `VerifierBusy` if the queue is full. If it is
   * interrupted while it is queued, it leaves the queue. Dies if two workers crash over the
   * request.
   */
  run(request: Request): Effect.Effect<Reply, VerifierBusy> {
    return Effect.callback<Reply, VerifierBusy>((resume) => {
      if (this.#isClosed) return resume(Effect.interrupt)
      if (this.#queue.size >= this.#options.queueMax) {
        this.#counts.rejected++
        const retryAfterSeconds = this.#retryAfterSeconds
        return resume(Effect.fail(new VerifierBusy({ retryAfterSeconds })))
      }
      const job: Job<Request, Reply> = { request, resume, crashes: 0 }
      this.#queue.add(job)
      this.#dispatch()
      return Effect.sync(() => {
        this.#queue.delete(job)
      })
    })
  }

  stats(): WorkerPoolStats {
    return {
      ...this.#counts,
      queued: this.#queue.size,
      workers: this.#workers.size,
      running: this.#sentJobs().length
    }
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    const jobs = [...this.#queue, ...this.#sentJobs()]
    // a terminating thread does not reliably keep the process alive, which could exit before the
    // code after `close` runs
    const keepAlive = setInterval(() => {}, 1000)
    await Promise.all([...this.#workers].map(({ thread }) => thread.terminate()))
    clearInterval(keepAlive)
    for (const { resume } of jobs) resume(Effect.interrupt)
  }

  #sentJobs(): ReadonlyArray<Job<Request, Reply>> {
    return [...this.#workers].flatMap(({ batches }) => batches.flat())
  }

  /**
   * Sends batches to idle workers first, then to new ones. Each gets a second batch, so that it
   * does not wait while the results of the first one travel back.
   */
  #dispatch(): void {
    for (let ahead = 1; ahead <= BATCHES_AHEAD; ahead++) {
      for (const worker of this.#workers) if (worker.batches.length < ahead) this.#send(worker)
      while (this.#workers.size < this.#options.workersMax && this.#queue.size > 0) {
        this.#send(this.#spawn())
      }
    }
  }

  #send(worker: PoolWorker<Request, Reply>): void {
    const { workersMax } = this.#options
    const size = Math.min(BATCH_MAX, Math.ceil(this.#queue.size / workersMax))
    const batch = takeBatch(this.#queue, size)
    if (batch.length === 0) return
    worker.batches.push(batch)
    worker.thread.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.thread.postMessage(batch.map(({ request }) => request))
  }

  #spawn(): PoolWorker<Request, Reply> {
    const thread = this.#options.start()
    const worker: PoolWorker<Request, Reply> = { thread, batches: [], cause: undefined }
    this.#workers.add(worker)
    thread.on("message", (results) => {
      const batch = worker.batches.shift() ?? []
      this.#counts.completed += batch.length
      for (const [i, job] of batch.entries()) job.resume(Effect.succeed(results[i] as Reply))
      if (worker.batches.length === 0) thread.unref()
      this.#dispatch()
    })
    thread.on("error", (cause) => worker.cause = cause)
    thread.on("exit", () => {
      this.#workers.delete(worker)
      if (this.#isClosed) return
      this.#counts.crashed++
      this.#requeue(worker)
    })
    return worker
  }

  /**
   * Puts the requests of a crashed worker back to the front of the queue. One of its first batch
   * may have caused the crash: these are sent once more, each alone.
   */
  #requeue({ batches, cause }: PoolWorker<Request, Reply>): void {
    for (const job of batches[0] ?? []) job.crashes++
    const lost = batches.flat()
    for (const job of lost) {
      if (job.crashes > 1) {
        job.resume(Effect.die(new Error("Verification ended its worker twice", { cause })))
      }
    }
    this.#queue = new Set([...lost.filter(({ crashes }) => crashes <= 1), ...this.#queue])
    this.#dispatch()
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
