import { Effect } from "effect"
import { writeSync } from "node:fs"
import type { LazyFeed } from "./_feed.ts"
import { scriptOf, type ScriptStores } from "./_script.ts"

export interface Part {
  readonly records: LazyFeed
  readonly seed: string
  /** Writes that the stores contain already. */
  readonly done: number
  /** Whether the writes of a step run concurrently or one by one. */
  readonly concurrency: "unbounded" | 1
}

/**
 * Executes a script in a process that will be killed. Prints when the stores are open, each
 * acknowledged write and the end. It pauses now and then, so that some crashes happen while only
 * background work runs.
 */
export const writeScript = Effect.fnUntraced(
  function*(to: ScriptStores, { concurrency, done, records, seed }: Part) {
    writeSync(1, "open\n")
    let made = 0
    let steps = 0
    for (const step of scriptOf(records, seed)) {
      const left = step.slice(Math.max(0, done - made))
      if (left.length > 0 && steps++ % 4 === 3) yield* Effect.sleep(steps * 7 % 30)
      made += step.length
      yield* Effect.forEach(left, (write) =>
        Effect.andThen(
          write(to),
          Effect.sync(() => writeSync(1, "ack\n"))
        ), { concurrency })
    }
    writeSync(1, "end\n")
  }
)
