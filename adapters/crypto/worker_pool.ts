import { Effect } from "effect"
import { VerifierBusy } from "../../core/ports/mod.ts"

/** The part of a worker thread that the pool uses; it answers each message with a message, in order. */
export interface WorkerThread {
  readonly postMessage: (questions: ReadonlyArray<unknown>) => void
  readonly terminate: () => Promise<unknown>
  /** Keeps the process alive, or no longer. */
  readonly ref: () => void
  readonly unref: () => void
  on(event: "message", listener: (answers: ReadonlyArray<boolean>) => void): unknown
  on(event: "error", listener: (cause: unknown) => void): unknown
  on(event: "exit", listener: () => void): unknown
}

export interface WorkerPoolOptions {
  readonly start: () => WorkerThread
  readonly workersMax: number
  /** Questions that wait for a worker, those that are with one not counted. */
  readonly queueMax: number
}

export interface WorkerPool<Question> {
  /** Interrupting it frees its place as long as it waits. Dies when two workers in a row perish over the question. */
  readonly ask: (question: Question) => Effect.Effect<boolean, VerifierBusy>
  readonly stats: () => WorkerPoolStats
  /** Ends the workers; what still waits is interrupted. */
  readonly close: Effect.Effect<void>
}

export interface WorkerPoolStats {
  /** Questions that no worker has yet. */
  readonly waiting: number
  /** Questions that are with a worker. */
  readonly underWay: number
  readonly workers: number
  readonly answered: number
  /** Questions that were not taken in, since too many waited. */
  readonly turnedAway: number
  /** Workers that ended while they were not told to. */
  readonly perished: number
}

// Not `effect/workers`: it has no queue bound, batches or replacement of crashed threads, and its
// runner loads Effect into each thread (2 MB and about 0.2 s more, measured on Node 24).
/** Workers that are started when they are needed, replaced when they perish, and do not keep the process alive while they are idle. */
export function workerPool<Question>(
  { queueMax, start, workersMax }: WorkerPoolOptions
): WorkerPool<Question> {
  const crew = new Set<Member<Question>>()
  let waiting = new Set<Job<Question>>()
  let closed = false
  let [answered, turnedAway, perished] = [0, 0, 0]
  const retryAfterSeconds = Math.max(1, Math.ceil((queueMax / workersMax) * SECONDS_PER_QUESTION))

  /** To idle workers first, then to new ones; a second batch for each bridges the time until its answers have come back. */
  function handOut(): void {
    for (let ahead = 1; ahead <= BATCHES_AHEAD; ahead++) {
      for (const member of crew) if (member.batches.length < ahead) send(member)
      while (crew.size < workersMax && waiting.size > 0) send(hire())
    }
  }

  function send(member: Member<Question>): void {
    const batch = take(waiting, Math.min(BATCH_MAX, Math.ceil(waiting.size / workersMax)))
    if (batch.length === 0) return
    member.batches.push(batch)
    member.worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    member.worker.postMessage(batch.map(({ question }) => question))
  }

  function hire(): Member<Question> {
    const member: Member<Question> = { worker: start(), batches: [], cause: undefined }
    crew.add(member)
    member.worker.on("message", (answers) => {
      const batch = member.batches.shift() ?? []
      answered += batch.length
      for (const [i, job] of batch.entries()) job.resume(Effect.succeed(answers[i] === true))
      if (member.batches.length === 0) member.worker.unref()
      handOut()
    })
    member.worker.on("error", (cause) => member.cause = cause)
    member.worker.on("exit", () => {
      crew.delete(member)
      if (closed) return
      perished++
      recover(member)
    })
    return member
  }

  /** The batch at work is under suspicion: its questions are asked once more, each alone. The others come first again as they were. */
  function recover({ batches, cause }: Member<Question>): void {
    for (const job of batches[0] ?? []) job.perished++
    const lost = batches.flat()
    for (const job of lost) {
      if (job.perished > 1) {
        job.resume(Effect.die(new Error("Verification ended its worker twice", { cause })))
      }
    }
    waiting = new Set([...lost.filter(({ perished }) => perished <= 1), ...waiting])
    handOut()
  }

  return {
    ask: (question) =>
      Effect.callback<boolean, VerifierBusy>((resume) => {
        if (closed) return resume(Effect.interrupt)
        if (waiting.size >= queueMax) {
          turnedAway++
          return resume(Effect.fail(new VerifierBusy({ retryAfterSeconds })))
        }
        const job: Job<Question> = { question, resume, perished: 0 }
        waiting.add(job)
        handOut()
        return Effect.sync(() => {
          waiting.delete(job)
        })
      }),
    stats: () => ({
      waiting: waiting.size,
      workers: crew.size,
      answered,
      turnedAway,
      perished,
      underWay: [...crew].reduce(
        (sum, { batches }) => sum + batches.reduce((sum, batch) => sum + batch.length, 0),
        0
      )
    }),
    close: Effect.promise(async () => {
      closed = true
      const jobs = [...waiting, ...[...crew].flatMap(({ batches }) => batches.flat())]
      // a thread that ends does not reliably keep the process alive, which would end before what comes after the close
      const alive = setInterval(() => {}, 1000)
      await Promise.all([...crew].map(({ worker }) => worker.terminate()))
      clearInterval(alive)
      for (const { resume } of jobs) resume(Effect.interrupt)
    })
  }
}

interface Job<Question> {
  readonly question: Question
  readonly resume: (answer: Effect.Effect<boolean, VerifierBusy>) => void
  /** Workers that ended while they were at it. */
  perished: number
}

interface Member<Question> {
  readonly worker: WorkerThread
  /** In the order in which they were sent, which is that of the answers. */
  readonly batches: Array<ReadonlyArray<Job<Question>>>
  cause: unknown
}

/** A message costs as much as a hundredth of a verification, and answers wait for the whole batch: larger ones gain nothing. */
const BATCH_MAX = 8
const BATCHES_AHEAD = 2
/** Rounded up: what a queue of them says about when to come again. */
const SECONDS_PER_QUESTION = 0.003

/** Takes the first ones out; one over which a worker perished comes alone. */
function take<Question>(waiting: Set<Job<Question>>, size: number): ReadonlyArray<Job<Question>> {
  const batch: Array<Job<Question>> = []
  for (const job of waiting) {
    if (batch.length === size || (job.perished > 0 && batch.length > 0)) break
    waiting.delete(job)
    batch.push(job)
    if (job.perished > 0) break
  }
  return batch
}
