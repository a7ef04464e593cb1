import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Writes a file in a folder of its own, which is removed with the scope; returns its path. */
export const fileWith = (
  name: string,
  content: string | Uint8Array
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "sources-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    }
  )
