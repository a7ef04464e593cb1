/** What turns that are too long, one or several of them, may take before anything is refused: bursts, and what has gathered while something else was done, pass. */
const patienceMs = 200
/** How many of them there have to be, where one alone does not take that long. */
const patienceTurns = 3

/**
 * Tells when a process is asked more than it can answer. The event loop takes turns: in each one it reads all requests that have come, and
 * answers them one after the other, so the length of a turn is how long a request waits. Where turn after turn is long, more comes than is
 * answered: then each turn computes answers for `busyMs` only, and what is left of it is refused, which costs little. The first short turn
 * ends that. A turn is measured by the work that it takes: what other processes take of the core is no load of this one.
 */
export class Turns {
  readonly #busyMs: number
  readonly #workMs: () => number
  readonly #atEnd: (end: () => void) => void
  #startedMs = 0
  #isUnderWay = false
  #isOverloaded = false
  /** Of the long turns since the last short one. */
  #longMs = 0
  #longTurns = 0

  /**
   * @param workMs what the thread has worked since some time
   * @param atEnd calls back when the turn has ended
   */
  constructor(busyMs: number, workMs: () => number = threadMs, atEnd: (end: () => void) => void = setImmediate) {
    this.#busyMs = busyMs
    this.#workMs = workMs
    this.#atEnd = atEnd
  }

  /** Whether what comes now should be refused; asked before an answer is computed. */
  isLate(): boolean {
    if (!this.#isUnderWay) {
      this.#isUnderWay = true
      this.#startedMs = this.#workMs()
      this.#atEnd(() => this.#end())
      return false
    }
    return this.#workMs() - this.#startedMs > (this.#isOverloaded ? this.#busyMs : Math.max(this.#busyMs, patienceMs))
  }

  #end(): void {
    const lengthMs = this.#workMs() - this.#startedMs
    this.#isUnderWay = false
    if (lengthMs <= this.#busyMs) {
      this.#longMs = this.#longTurns = 0
      this.#isOverloaded = false
      return
    }
    this.#longMs += lengthMs
    this.#longTurns++
    if (lengthMs > patienceMs || (this.#longMs > patienceMs && this.#longTurns >= patienceTurns)) this.#isOverloaded = true
  }
}

const threadMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}
