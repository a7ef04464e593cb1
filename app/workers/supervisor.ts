import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { Group, type GroupOptions } from "./_group.ts"

export interface SupervisorOptions extends Pick<GroupOptions, "stores" | "workers"> {
  /** How long what has begun may take when the group is told to stop; what takes longer is killed. */
  readonly drainMaxMs: number
}

/** How long a follower may keep everybody waiting before it is started anew. */
const lagMaxMs = 5000

/**
 * Runs a group of processes behind one port until it is interrupted, and then lets them end what they have begun. Ends the program as the
 * first process does where that one cannot start.
 */
export const supervise = ({ drainMaxMs, stores, workers }: SupervisorOptions): Effect.Effect<never> =>
  Effect.scoped(Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const group = yield* Effect.acquireRelease(
      Effect.sync(() => new Group({
        workers, stores, lagMaxMs,
        name: randomBytes(16).toString("hex"),
        onServing: (address) => void run(Effect.log(`Listening on ${address}, documentation at /docs; up to ${workers} processes serve`)),
        onNews: (level, news) => void run(level === "info" ? Effect.log(news) : Effect.logWarning(news)),
        onFailedStart: (ending) => process.exit(typeof ending === "number" ? ending : 1)
      })),
      (group) => Effect.promise(() => group.drain(drainMaxMs))
    )
    // however it ends
    process.on("exit", () => group.kill())
    group.start()
    return yield* Effect.never
  }))
