import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { genesis } from "../use_cases/_network.ts"
import { openStores, temporaryDirectory } from "./_directories.ts"

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

it.live("the journal creates its directory and files for their owner only", () =>
  Effect.gen(function*() {
    const directory = join(yield* temporaryDirectory, "data")
    yield* openStores(directory, genesis)
    const files = readdirSync(directory)
    assert.isAbove(files.length, 2)
    assert.deepStrictEqual(
      [directory, ...files.map((file) => join(directory, file))].map(modeOf),
      ["700", ...files.map(() => "600")],
      files.join(" ")
    )
  }).pipe(Effect.scoped))
