/** How long a process has to serve before its earlier ends are forgotten. */
const steadyMs = 30_000
const delayFirstMs = 100
const delayMaxMs = 30_000

/** How soon a process that has ended is started again: at once the first time, then later and later, until it has served for a while. */
export class Restarts {
  #ends = 0
  #servingSince: number | undefined

  serving(nowMs: number): void {
    this.#servingSince = nowMs
  }

  /** The delay before the next start. */
  ended(nowMs: number): number {
    if (this.#servingSince !== undefined && nowMs - this.#servingSince >= steadyMs) this.#ends = 0
    this.#servingSince = undefined
    return Math.min(delayMaxMs, delayFirstMs * 2 ** this.#ends++)
  }
}
