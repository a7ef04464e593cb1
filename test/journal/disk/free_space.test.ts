import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { genesis } from "../../use_cases/_network.ts"
import { openStores, temporaryDirectory } from "../_directories.ts"

const run = (command: string, ...words: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(command, words, { encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
}

/** A file system of 2 MiB that is unmounted with the scope. */
const smallFileSystem = Effect.flatMap(temporaryDirectory, (mount) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mount)
      return mount
    }),
    () => Effect.sync(() => run("umount", "--lazy", mount))
  ))

/** Leaves this number of bytes on a file system. */
const fill = (mount: string, leftBytes: number): void => {
  const ballast = join(mount, "ballast")
  rmSync(ballast, { force: true })
  const { bavail, bsize } = statfsSync(mount)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - leftBytes))
}

describe("the start of a journal", () => {
  // only root can mount a small file system
  it.runIf(process.getuid?.() === 0)(
    "needs 32 KiB of free disk space, and says so",
    () =>
      Effect.runPromise(Effect.scoped(Effect.gen(function*() {
        const mount = yield* smallFileSystem
        const open = Effect.scoped(openStores(join(mount, "data"), genesis))
        yield* open
        for (const leftBytes of [0, 28 * 1024]) {
          fill(mount, leftBytes)
          const { message, reason } = yield* Effect.flip(open)
          assert.strictEqual(reason, "directory")
          assert.include(message, "has no disk space: a start needs 32 KiB; make room")
        }
        fill(mount, 32 * 1024)
        yield* open
      })))
  )
})
