export interface RateOptions {
  /** Requests a second that each one may send for good. */
  readonly perSecondMax: number
  /** Requests that one who has sent none for a while may send at once. */
  readonly burstMax: number
  /** How many are remembered; past that those are forgotten who asked longest ago. */
  readonly addressesMax: number
}

/** What one may still send. */
export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Until all of the burst may be sent again. */
  readonly restoredAfterMs: number
  /** Until the next request is let in; 0 where it is let in now. */
  readonly retryAfterMs: number
}

/** Counts requests by who sends them: a bucket of `burstMax` that fills evenly. What is kept of one is a single number. */
export class TokenBuckets {
  readonly #options: RateOptions
  readonly #spacingMs: number
  /** When the bucket of each one is full again, in the order in which they last asked. */
  readonly #fullAt = new Map<string, number>()

  constructor(options: RateOptions) {
    this.#options = options
    this.#spacingMs = 1000 / options.perSecondMax
  }

  /** Takes a request of somebody into account, unless it is one too many. */
  take(key: string, nowMs: number): Allowance {
    const { addressesMax, burstMax } = this.#options
    const depthMs = burstMax * this.#spacingMs
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, nowMs)
    const after = fullAt + this.#spacingMs
    const missingMs = after - nowMs - depthMs
    // a millionth of a millisecond is the arithmetic's
    if (missingMs > 1e-6) {
      return {
        isAllowed: false,
        remaining: 0,
        restoredAfterMs: fullAt - nowMs,
        retryAfterMs: missingMs
      }
    }
    this.#fullAt.delete(key)
    if (this.#fullAt.size >= addressesMax) this.#fullAt.delete(this.#fullAt.keys().next().value!)
    this.#fullAt.set(key, after)
    return {
      isAllowed: true,
      remaining: Math.floor((depthMs - (after - nowMs)) / this.#spacingMs + 1e-6),
      restoredAfterMs: after - nowMs,
      retryAfterMs: 0
    }
  }

  /** How many are remembered now. */
  get addresses(): number {
    return this.#fullAt.size
  }
}
