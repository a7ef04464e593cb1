import { Effect } from "effect"
import { writeSync } from "node:fs"
import type { LazyFeed } from "./_feed.ts"
import { scriptOf, type WriteTarget } from "./_script.ts"

export interface ScriptOptions {
  readonly records: LazyFeed
  readonly seed: string
  /** Number of stored writes, which are skipped. */
  readonly writeCount: number
  /** Whether the writes of a step are concurrent. */
  readonly concurrency: "unbounded" | 1
}

/**
 * Runs a script in a process that is killed. Prints that the stores are open, each acknowledged
 * write, and the end of the script. Sometimes it pauses, so that some kills happen while only the
 * stores themselves are busy.
 */
export const writeScript = Effect.fnUntraced(
  function*(target: WriteTarget, { concurrency, records, seed, writeCount }: ScriptOptions) {
    writeSync(1, "open\n")
    let position = 0
    let steps = 0
    for (const step of scriptOf(records, seed)) {
      const remaining = step.slice(Math.max(0, writeCount - position))
      if (remaining.length > 0 && steps++ % 4 === 3) yield* Effect.sleep(steps * 7 % 30)
      position += step.length
      yield* Effect.forEach(remaining, (write) =>
        Effect.andThen(
          write(target),
          Effect.sync(() => writeSync(1, "ack\n"))
        ), { concurrency })
    }
    writeSync(1, "end\n")
  }
)
