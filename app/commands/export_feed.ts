import { Effect } from "effect"
import { resolve } from "node:path"
import { exportFeed as exportOf } from "../../adapters/journal/mod.ts"
import { counted, writeTexts } from "./output.ts"
import { makeProgress } from "./progress.ts"

/** Writes the records of a data directory as a feed, which `serve --feed` and `ingest` read. */
export const exportFeed = (
  { data, out }: { readonly data: string; readonly out: string | undefined }
) =>
  Effect.scoped(Effect.gen(function*() {
    const progress = yield* makeProgress({ unit: "records" })
    const lines = yield* exportOf(resolve(data))
    yield* writeTexts(
      counted(withLineFeeds(lines), (units) => progress.reportNow({ units, share: undefined })),
      out
    )
    progress.end()
  }))

function* withLineFeeds(lines: Iterable<string>): Generator<string, void> {
  for (const line of lines) yield `${line}\n`
}
