/* Tries to open a directory that another process has opened, and prints the error. */
import { Effect } from "effect"
import { exportFeed } from "../../adapters/journal/mod.ts"

await Effect.runPromise(Effect.scoped(Effect.flip(exportFeed(process.argv[2]!)))).then(
  ({ message }) => {
    process.stderr.write(message)
    process.exitCode = 1
  }
)
