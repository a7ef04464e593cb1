import { Effect, MutableList } from "effect"
import type { Admission } from "../message/mod.ts"

/**
 * If the queue has been long for this time, the server is overloaded; a shorter queue is a burst.
 * This is the interval of CoDel, on the order of a worst round trip (RFC 8289, section 4.3).
 */
const intervalMs = 100
/**
 * From this length on the queue is long. A shorter queue comes from clients that each wait for
 * their answer, such as a connection pool: if they were refused, no answer would be faster. Load
 * generators and pools open up to 200 connections (test/http/node/admission_queue.test.ts).
 */
const longQueue = 256
/**
 * Answers are computed for at least this time before the event loop reads the requests that have
 * arrived, which takes about a tenth of it (test/tools/overload/RESULTS.md).
 */
const sliceMinMs = 2
/**
 * If the rest of a turn of the event loop takes longer, such as reading and refusing many requests,
 * answers are computed for as long as that, up to this time, so that they get half of the thread.
 */
const sliceMaxMs = 50

export interface AdmissionQueueOptions {
  /**
   * Maximum wait of a request while the server is overloaded; 5 ms is the target of CoDel (RFC
   * 8289, section 4.4). 0 disables load shedding.
   */
  readonly targetMs: number
  readonly nowMs?: () => number
  /** Runs a callback after the event loop has read the requests that have arrived. */
  readonly defer?: (run: () => void) => void
}

interface Waiting {
  readonly sinceMs: number
  readonly resume: (isAdmitted: boolean) => void
  isCancelled: boolean
}

/**
 * Admits requests whose answers have to be computed, first come, first served, and sheds load while
 * the server is overloaded. The server is overloaded if the queue has been long for an interval,
 * and until an interval has passed in which no request was refused. While it is overloaded, it
 * refuses:
 *
 * - a request that has waited longer than the target, unless it is the last one in the queue, or
 *   arrived after the last slice: in a long turn of the event loop, all requests wait that long
 * - a new request, if the first one in the queue has waited longer than the target, and the queue is
 *   longer than the slices can empty
 *
 * This is CoDel without its drop schedule, as used for server queues by B. Maurer, "Fail at Scale",
 * ACM Queue 13(8), 2015. It buys the rows "share of the capacity served" of test/bench/RESULTS.md;
 * `--queue-delay-target-ms 0` switches it off.
 */
export class AdmissionQueue {
  readonly #targetMs: number
  readonly #nowMs: () => number
  readonly #defer: (run: () => void) => void
  readonly #waiting = MutableList.make<Waiting>()
  #isDeferred = false
  #sliceEndsMs = 0
  /** When the last slice ended. */
  #sliceEndedMs = 0
  /** Answers of a slice: those of the last one, or half of the number before if that is more. */
  #computed = 0
  /** When the request that has waited longest, or the one admitted before it, arrived. */
  #firstSinceMs = 0
  #isConnected = false
  /** When the queue was last seen shorter than `longQueue`. */
  #shortAtMs = -Infinity
  #refusedAtMs = -Infinity

  constructor(
    { defer = setImmediate, nowMs = () => performance.now(), targetMs }: AdmissionQueueOptions
  ) {
    this.#targetMs = targetMs
    this.#nowMs = nowMs
    this.#defer = defer
  }

  /**
   * Call this when a connection is accepted. The event loop accepts one connection in each turn, so
   * the next slice has no minimum in case other connections wait.
   */
  readonly onConnection = (): void => void (this.#isConnected = true)

  /** Decides whether and when to compute an answer. Call it once before the computation. */
  readonly admit = (): Admission => {
    const nowMs = this.#nowMs()
    if (this.#waiting.length < longQueue) this.#shortAtMs = nowMs
    if (!this.#isDeferred) {
      this.#sliceEndedMs = nowMs
      this.#nextSlice(nowMs, sliceMinMs)
    }
    if (this.#waiting.length === 0) return nowMs < this.#sliceEndsMs ? "run" : this.#wait
    // twice, so that the number of answers in a slice can grow
    const isFull = this.#waiting.length > 2 * this.#computed
    // the request would wait for longer than the first one in the queue
    const isLate = isFull && nowMs - this.#firstSinceMs > this.#targetMs
    if (!isLate || !this.#isOverloaded(nowMs)) return this.#wait
    this.#refusedAtMs = nowMs
    return "shed"
  }

  readonly #wait: Effect.Effect<boolean> = Effect.callback((resume) => {
    const waiting: Waiting = {
      sinceMs: this.#nowMs(),
      isCancelled: false,
      resume: (isAdmitted) => resume(Effect.succeed(isAdmitted))
    }
    if (this.#waiting.length === 0) this.#firstSinceMs = waiting.sinceMs
    MutableList.append(this.#waiting, waiting)
    return Effect.sync(() => void (waiting.isCancelled = true))
  })

  #nextSlice(nowMs: number, sliceMs: number): void {
    this.#sliceEndsMs = nowMs + sliceMs
    this.#isDeferred = true
    this.#defer(this.#runSlice)
  }

  readonly #runSlice = (): void => {
    this.#isDeferred = false
    const nowMs = this.#nowMs()
    if (this.#waiting.length === 0) return
    const otherMs = nowMs - this.#sliceEndedMs
    const leastMs = this.#isConnected ? 0 : sliceMinMs
    this.#isConnected = false
    this.#nextSlice(nowMs, Math.min(sliceMaxMs, Math.max(leastMs, otherMs)))
    this.#sliceEndedMs = this.#compute(nowMs)
  }

  /** Admits or refuses waiting requests until the slice ends. Returns when that is. */
  #compute(startedMs: number): number {
    let nowMs = startedMs
    let computed = 0
    for (; this.#waiting.length > 0; nowMs = this.#nowMs()) {
      if (this.#waiting.length < longQueue) this.#shortAtMs = nowMs
      const waiting = MutableList.take(this.#waiting) as Waiting
      this.#firstSinceMs = waiting.sinceMs
      if (waiting.isCancelled) continue
      const isLate = nowMs - waiting.sinceMs > this.#targetMs &&
        waiting.sinceMs < this.#sliceEndedMs && this.#waiting.length > 0
      if (isLate && this.#isOverloaded(nowMs)) {
        this.#refusedAtMs = nowMs
        waiting.resume(false)
      } else if (computed === 0 || nowMs < this.#sliceEndsMs) {
        computed++
        waiting.resume(true)
      } else {
        MutableList.prepend(this.#waiting, waiting)
        break
      }
    }
    this.#computed = Math.max(computed, this.#computed / 2)
    return nowMs
  }

  #isOverloaded(nowMs: number): boolean {
    if (this.#targetMs === 0) return false
    return nowMs - this.#shortAtMs > intervalMs || nowMs - this.#refusedAtMs < intervalMs
  }
}
