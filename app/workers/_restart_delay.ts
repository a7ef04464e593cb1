/** After serving for this time a worker is healthy, and earlier failures no longer count. */
const healthyMs = 30_000
const delayMinMs = 100
const delayMaxMs = 30_000

/** Exponential backoff for restarts of one worker. */
export class RestartDelay {
  #failures = 0
  #servingSinceMs: number | undefined

  /** Notes that the worker serves. */
  serving(nowMs: number): void {
    this.#servingSinceMs = nowMs
  }

  /** Returns the delay before the next start, in milliseconds. */
  afterExit(nowMs: number): number {
    const servedMs = this.#servingSinceMs === undefined ? 0 : nowMs - this.#servingSinceMs
    if (servedMs >= healthyMs) this.#failures = 0
    this.#servingSinceMs = undefined
    return Math.min(delayMaxMs, delayMinMs * 2 ** this.#failures++)
  }
}
