import { Clock, Duration, Effect, type Scheduler } from "effect"
import type { SeededRandom } from "../../laws/_seeded_random.ts"

/** A process, for the scheduler: fibers of an ended process never run again. */
export interface ProcessLife {
  alive: boolean
}

interface Task {
  readonly life: ProcessLife
  readonly run: () => void
}

interface Sleeper extends Task {
  readonly atMs: number
}

/**
 * Decides which fiber runs next, and what time it is, by random choice. Time advances only if no
 * fiber is ready, straight to the next timer. (Effect's test clock arms a real timer for its
 * warnings, and does not report timers.)
 */
export class FiberSchedule {
  random: SeededRandom
  #tasks: Array<Task> = []
  /** The next timer is last. */
  #sleepers: Array<Sleeper> = []
  #elapsedMs = 0
  /** The difference of the wall clock to the simulated time. */
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

  /** Sets the wall clock forward or back; timers keep their duration. */
  setClockBy(ms: number): void {
    this.#offsetMs += ms
  }

  later(life: ProcessLife, run: () => void): void {
    this.#tasks.push({ life, run })
  }

  sleep(life: ProcessLife, ms: number, run: () => void): () => void {
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

  /** Runs one fiber; returns false if there is none, now or later. */
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

  /** Returns the scheduler of a process: other fibers may run after each step of a fiber. */
  schedulerOf(life: ProcessLife): Scheduler.Scheduler {
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

  clockOf(life: ProcessLife): Clock.Clock {
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
