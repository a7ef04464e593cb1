import { Effect } from "effect"
import { writeSync } from "node:fs"
import type { LazyFeed } from "./_feed.ts"
import { scriptOf, type Written } from "./_script.ts"

export interface Part {
  readonly records: LazyFeed
  readonly seed: string
  /** Writes that are there already. */
  readonly done: number
  /** Those of one step, or each by itself. */
  readonly concurrency: "unbounded" | 1
}

/**
 * For a process that is killed: says that it is open, then after each write that it was acknowledged, and at last that it has ended. Now and
 * then it does nothing for a while, so that some are killed when nothing is under way but what the stores do by themselves.
 */
export const writeScript = Effect.fnUntraced(
  function*(to: Written, { concurrency, done, records, seed }: Part) {
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
