import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { constants, getPriority, setPriority } from "node:os"

/** What the engine calls the threads in which it collects garbage and compiles. */
const helperName = "V8Worker"
/** Less than the event loop by so much: a tenth of its share, and all of what it leaves. */
const lowerBy = 10
const tasks = "/proc/self/task"

/**
 * Gives the event loop precedence over the helpers of the engine. Where more threads have work than there are cores, a collection takes
 * processors for a fifth of a second, and each time the thread that answers would wait for one: nobody else waits for what helpers do. Linux
 * alone gives threads priorities of their own; elsewhere, and where it is not allowed, nothing happens.
 */
export const eventLoopFirst: Effect.Effect<void> = Effect.ignore(Effect.try(() => {
  const priority = Math.min(getPriority() + lowerBy, constants.priority.PRIORITY_LOW)
  for (const id of readdirSync(tasks)) {
    if (readFileSync(`${tasks}/${id}/comm`, "utf8").trim() === helperName) setPriority(Number(id), priority)
  }
}))
