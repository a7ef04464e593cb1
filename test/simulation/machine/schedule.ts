import { Clock, Duration, Effect, type Scheduler } from "effect"
import type { SeededRandom } from "../../laws/_seeded_random.ts"

/** A process as far as turns go: what belongs to one that has ended never has its turn. */
export interface Life {
  alive: boolean
}

interface Task {
  readonly life: Life
  readonly run: () => void
}

interface Sleeper extends Task {
  readonly atMs: number
}

/**
 * Whose turn it is, and what time it is: both follow from the dice. Time passes only when nobody has anything to do, straight to whoever
 * sleeps the shortest. (Effect's own test clock arms a timer of the real one for its warnings, and does not tell when somebody wakes up.)
 */
export class Turns {
  random: SeededRandom
  #tasks: Array<Task> = []
  /** The next one last. */
  #sleepers: Array<Sleeper> = []
  #elapsedMs = 0
  /** What the clock on the wall shows beyond that. */
  #offsetMs: number
  #untilYield = 0

  constructor(random: SeededRandom, startMs: number) {
    this.random = random
    this.#offsetMs = startMs
  }

  get nowMs(): number {
    return this.#offsetMs + this.#elapsedMs
  }

  get elapsedMs(): number {
    return this.#elapsedMs
  }

  /** The clock on the wall is set, back or forth; who sleeps sleeps as long as before. */
  setClockBy(ms: number): void {
    this.#offsetMs += ms
  }

  later(life: Life, run: () => void): void {
    this.#tasks.push({ life, run })
  }

  sleep(life: Life, ms: number, run: () => void): () => void {
    const sleeper = { life, run, atMs: this.#elapsedMs + Math.max(0, ms) }
    const sleepers = this.#sleepers
    let at = sleepers.length
    while (at > 0 && sleepers[at - 1]!.atMs <= sleeper.atMs) at--
    sleepers.splice(at, 0, sleeper)
    return () => {
      const found = sleepers.indexOf(sleeper)
      if (found >= 0) sleepers.splice(found, 1)
    }
  }

  /** Somebody has a turn; false where nobody wants one, now or later. */
  take(): boolean {
    const tasks = this.#tasks
    while (tasks.length > 0) {
      const at = tasks.length === 1 ? 0 : this.random.below(tasks.length)
      const task = tasks[at]!
      tasks[at] = tasks.at(-1)!
      tasks.pop()
      if (!task.life.alive) continue
      task.run()
      return true
    }
    const sleeper = this.#sleepers.pop()
    if (sleeper === undefined) return false
    if (!sleeper.life.alive) return this.take()
    this.#elapsedMs = Math.max(this.#elapsedMs, sleeper.atMs)
    sleeper.run()
    return true
  }

  /** Fibers of a life: each may be interrupted by others after any of its steps. */
  schedulerOf(life: Life): Scheduler.Scheduler {
    const dispatcher = { scheduleTask: (run: () => void) => this.later(life, run), flush: () => {} }
    return {
      executionMode: "async",
      makeDispatcher: () => dispatcher,
      shouldYield: () => {
        if (--this.#untilYield > 0) return false
        this.#untilYield = 30 + this.random.below(700)
        return true
      }
    }
  }

  clockOf(life: Life): Clock.Clock {
    const millis = () => this.nowMs
    const nanos = () => BigInt(this.nowMs) * 1_000_000n
    const monotonic = () => BigInt(this.#elapsedMs) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) =>
        Effect.callback<void>((resume) =>
          Effect.sync(this.sleep(life, Duration.toMillis(duration), () => resume(Effect.void)))
        )
    }
  }
}
