import { MutableList } from "effect"

/**
 * Interval between refusals. A refusal takes up to a tenth of a millisecond of processor time
 * (test/bench/RESULTS.md), so at most half of a core is spent on them.
 */
const intervalMs = 0.25

export interface RefusalPacerOptions {
  /** No refusal waits for longer; 0 sends each at once. */
  readonly delayMaxMs: number
  readonly nowMs?: () => number
}

interface Waiting {
  readonly dueMs: number
  readonly send: () => void
}

/**
 * Sends refusals at even intervals, first come, first served. A client that ignores `Retry-After`
 * sends its next request when it has the answer, so it is the delay of the answer that bounds the
 * requests of such clients. Waiting refusals are bounded by the open connections, because the
 * requests of a connection are answered one at a time. It buys the rows "refusals paced" instead of
 * "at once" of test/bench/RESULTS.md; `--refusal-delay-max-ms 0` switches it off.
 */
export class RefusalPacer {
  readonly #delayMaxMs: number
  readonly #nowMs: () => number
  readonly #waiting = MutableList.make<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #lastDueMs = -Infinity
  #isStopped = false

  constructor({ delayMaxMs, nowMs = () => performance.now() }: RefusalPacerOptions) {
    this.#delayMaxMs = delayMaxMs
    this.#nowMs = nowMs
  }

  /** Calls `send` when the refusal is due: now, if there was none in the interval before. */
  readonly add = (send: () => void): void => {
    const nowMs = this.#nowMs()
    const dueMs = Math.min(this.#lastDueMs + intervalMs, nowMs + this.#delayMaxMs)
    if (dueMs <= nowMs || this.#isStopped) {
      this.#lastDueMs = nowMs
      return send()
    }
    this.#lastDueMs = dueMs
    MutableList.append(this.#waiting, { dueMs, send })
    this.#timer ??= setTimeout(this.#sendDue, dueMs - nowMs)
  }

  /** Sends the waiting refusals, and from now on each one at once. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    for (const { send } of MutableList.takeAll(this.#waiting)) send()
  }

  readonly #sendDue = (): void => {
    this.#timer = undefined
    const nowMs = this.#nowMs()
    while (this.#waiting.length > 0) {
      const first = MutableList.take(this.#waiting) as Waiting
      if (first.dueMs > nowMs) {
        MutableList.prepend(this.#waiting, first)
        this.#timer = setTimeout(this.#sendDue, first.dueMs - nowMs)
        return
      }
      first.send()
    }
  }
}
