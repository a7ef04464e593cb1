export interface RateOptions {
  /** Sustained requests per second of one client. */
  readonly perSecondMax: number
  /** Requests that a client may send at once after a pause. */
  readonly burstMax: number
  /** Number of clients with a bucket; beyond it the least recently active client is forgotten. */
  readonly addressesMax: number
}

/** The decision about one request of a client. */
export interface Allowance {
  readonly isAllowed: boolean
  /** Requests that the client may still send now. */
  readonly remaining: number
  /** Time until the client may send a whole burst again. */
  readonly restoredAfterMs: number
  /** Time until the next request is allowed; 0 if this one is. */
  readonly retryAfterMs: number
}

/**
 * A token bucket for each client: it holds `burstMax` tokens and is refilled at a constant rate.
 * Its state is one number (the generic cell rate algorithm).
 */
export class TokenBuckets {
  readonly #options: RateOptions
  readonly #spacingMs: number
  /** When the bucket of each client is full again; the least recently active client first. */
  readonly #fullAt = new Map<string, number>()

  constructor(options: RateOptions) {
    this.#options = options
    this.#spacingMs = 1000 / options.perSecondMax
  }

  /** Takes a token from the bucket of a client. A request that is not allowed takes none. */
  take(key: string, nowMs: number): Allowance {
    const { addressesMax, burstMax } = this.#options
    const depthMs = burstMax * this.#spacingMs
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, nowMs)
    const after = fullAt + this.#spacingMs
    const missingMs = after - nowMs - depthMs
    // tolerate rounding errors
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

  /** Number of clients that have a bucket. */
  get addresses(): number {
    return this.#fullAt.size
  }
}
