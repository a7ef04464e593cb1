/*
 * Writes a script to a directory until it is killed, and one checkpoint after the other. It reports
 * the start and the end of each checkpoint.
 *
 *     node _crash_child.ts DIRECTORY FEED SEED
 */
import { Effect, Layer } from "effect"
import { JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import { report, writeScript } from "./_write_script.ts"

const checkpoints = Layer.effectDiscard(
  Effect.flatMap(JournalStores, ({ checkpoint }) =>
    report("checkpoint").pipe(
      Effect.andThen(checkpoint),
      Effect.andThen(report("installed")),
      Effect.andThen(Effect.sleep(2)),
      Effect.forever,
      Effect.forkScoped
    ))
)

await writeScript(
  (directory, genesis) => Layer.provideMerge(checkpoints, journaledStores({ directory, genesis })),
  { concurrency: "unbounded" }
)
