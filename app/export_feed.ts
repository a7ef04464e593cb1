import { Effect, Option } from "effect"
import { CliError, Command } from "effect/cli"
import { createWriteStream } from "node:fs"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as options from "./options.ts"

/** Writes what the ledger of a data directory was told as a feed: `serve --feed` reads it, and so does another store. */
export const exportFeed = Command.make("export", { data: options.data, out: options.out }, ({ data, out }) =>
  Effect.scoped(Effect.gen(function*() {
    const journal = yield* Effect.promise(() => import("../adapters/journal/mod.ts"))
    const lines = yield* journal.exportFeed(resolve(Option.getOrElse(data, () => options.dataDefault)))
    yield* Effect.tryPromise(async () => {
      const target = Option.match(out, { onNone: () => process.stdout, onSome: (path) => createWriteStream(path) })
      await pipeline(Readable.from(withLineFeeds(lines)), target, { end: Option.isSome(out) })
    })
  })).pipe(
    Effect.catch((error) => {
      const cause = error._tag === "JournalError" ? error : error.cause
      return Effect.fail(new CliError.UserError({ cause, userMessage: cause instanceof Error ? cause.message : String(cause) }))
    })
  )).pipe(Command.withDescription("Write the ledger of a data directory as NDJSON, for another store to take over"))

function* withLineFeeds(lines: Iterable<string>): Generator<string, void> {
  for (const line of lines) yield `${line}\n`
}
