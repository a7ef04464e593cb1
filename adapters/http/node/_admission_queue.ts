import { Effect, MutableList } from "effect"
import type { Admission } from "../message/mod.ts"

/**
 * A queue that has been long for this time is a standing queue, not a burst: the interval of CoDel, on
 * the order of a worst round trip (RFC 8289, section 4.3).
 */
const intervalMs = 100
/**
 * A queue is long from this length on. A shorter one belongs to clients that each wait for their
 * answer, such as a connection pool: refusing those makes no answer faster. Load generators and pools
 * open up to 200 connections (test/http/node/admission_queue.test.ts).
 */
const longQueue = 256
/**
 * Answers are computed for this time before the event loop reads what has arrived: reading takes about
 * a tenth of it (test/overload/RESULTS.md).
 */
const sliceMs = 2

export interface AdmissionQueueOptions {
  /**
   * How long a request may wait while the server is overloaded; 5 ms is the target of CoDel (RFC 8289,
   * section 4.4). 0 refuses nothing.
   */
  readonly targetMs: number
  readonly nowMs?: () => number
  /** Runs a callback when the event loop has read what has arrived. */
  readonly defer?: (run: () => void) => void
}

interface Waiting {
  readonly sinceMs: number
  readonly resume: (isAdmitted: boolean) => void
  isGone: boolean
}

/**
 * Admits requests whose answers have to be computed, first come first served, and sheds load when a
 * queue stands: the server is overloaded if the queue has been long for an interval, and remains so
 * until nothing was refused for an interval. Then it refuses a request that has waited longer than the
 * target, unless that is the last one of the queue, and one that arrives when the first one has. This
 * is CoDel without its drop schedule, as used for server queues by B. Maurer, "Fail at Scale", ACM
 * Queue 13(8), 2015.
 */
export class AdmissionQueue {
  readonly #targetMs: number
  readonly #nowMs: () => number
  readonly #defer: (run: () => void) => void
  readonly #waiting = MutableList.make<Waiting>()
  #isDeferred = false
  #sliceEndsMs = 0
  /** When the request that waits longest, or the one before it, arrived. */
  #firstSinceMs = 0
  #isConnected = false
  /** When the queue was not long for the last time. */
  #shortAtMs = -Infinity
  #refusedAtMs = -Infinity

  constructor(
    { defer = setImmediate, nowMs = () => performance.now(), targetMs }: AdmissionQueueOptions
  ) {
    this.#targetMs = targetMs
    this.#nowMs = nowMs
    this.#defer = defer
  }

  /** Called when a connection was accepted: others may wait, and each turn of the event loop accepts one. */
  readonly connected = (): void => void (this.#isConnected = true)

  /** Called before an answer is computed: now, never, or if the effect returns true. */
  readonly admit = (): Admission => {
    const nowMs = this.#nowMs()
    if (this.#waiting.length < longQueue) this.#shortAtMs = nowMs
    if (!this.#isDeferred) this.#nextSlice(nowMs)
    if (this.#waiting.length === 0) return nowMs < this.#sliceEndsMs ? "run" : this.#wait
    // it would wait for longer than the first one has
    if (nowMs - this.#firstSinceMs <= this.#targetMs || !this.#isOverloaded(nowMs)) {
      return this.#wait
    }
    this.#refusedAtMs = nowMs
    return "shed"
  }

  readonly #wait: Effect.Effect<boolean> = Effect.callback((resume) => {
    const waiting: Waiting = {
      sinceMs: this.#nowMs(),
      isGone: false,
      resume: (isAdmitted) => resume(Effect.succeed(isAdmitted))
    }
    if (this.#waiting.length === 0) this.#firstSinceMs = waiting.sinceMs
    MutableList.append(this.#waiting, waiting)
    return Effect.sync(() => void (waiting.isGone = true))
  })

  #nextSlice(nowMs: number): void {
    this.#sliceEndsMs = nowMs + sliceMs
    this.#isDeferred = true
    this.#defer(this.#runSlice)
  }

  readonly #runSlice = (): void => {
    this.#isDeferred = false
    let nowMs = this.#nowMs()
    if (this.#waiting.length === 0) return
    this.#nextSlice(nowMs)
    if (this.#isConnected) this.#sliceEndsMs = nowMs
    this.#isConnected = false
    for (let computed = 0; this.#waiting.length > 0; nowMs = this.#nowMs()) {
      if (this.#waiting.length < longQueue) this.#shortAtMs = nowMs
      const waiting = MutableList.take(this.#waiting) as Waiting
      this.#firstSinceMs = waiting.sinceMs
      if (waiting.isGone) continue
      const isLate = nowMs - waiting.sinceMs > this.#targetMs && this.#waiting.length > 0
      if (isLate && this.#isOverloaded(nowMs)) {
        this.#refusedAtMs = nowMs
        waiting.resume(false)
      } else if (computed === 0 || nowMs < this.#sliceEndsMs) {
        computed++
        waiting.resume(true)
      } else return MutableList.prepend(this.#waiting, waiting)
    }
  }

  #isOverloaded(nowMs: number): boolean {
    if (this.#targetMs === 0) return false
    return nowMs - this.#shortAtMs > intervalMs || nowMs - this.#refusedAtMs < intervalMs
  }
}
