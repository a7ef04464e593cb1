import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fs, { mkdtempSync, readlinkSync, rmSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import {
  type CheckpointedJournal,
  CheckpointWriter,
  type Manifest,
  Parts,
  partsOf
} from "../../../adapters/journal/checkpoint/mod.ts"
import { createDatabase } from "../../../adapters/journal/log/mod.ts"
import { openMemoryLedger, openMemoryPool } from "../../../adapters/memory/mod.ts"
import { genesis } from "../../use_cases/_network.ts"

/** A call that changes the disk: what it does, and the part or folder. */
type Call = readonly [call: string, on: string]

/** Runs a program, and records its calls of Node that write, synchronise or delete files. */
const recordingFiles = async (calls: Array<Call>, run: () => Promise<void>): Promise<void> => {
  const { fsync, fsyncSync, promises } = fs
  const { rm, writeFile } = promises
  const pathOf = (descriptor: number) => basename(readlinkSync(`/proc/self/fd/${descriptor}`))
  Object.assign(fs, {
    fsyncSync: (descriptor: number) => {
      fsyncSync(descriptor)
      calls.push(["synced", pathOf(descriptor)])
    },
    fsync: (descriptor: number, done: (error: Error | null) => void) => {
      const path = pathOf(descriptor)
      fsync(descriptor, (error) => {
        calls.push(["synced", path])
        done(error)
      })
    }
  })
  Object.assign(promises, {
    writeFile: async (path: string, bytes: Uint8Array, options: { readonly flush?: boolean }) => {
      await writeFile(path, bytes, options)
      calls.push([options.flush === true ? "written and synced" : "written", basename(path)])
    },
    rm: async (path: string, options: object) => {
      calls.push(["deleted", basename(path)])
      await rm(path, options)
    }
  })
  syncBuiltinESMExports()
  try {
    await run()
  } finally {
    Object.assign(fs, { fsync, fsyncSync })
    Object.assign(promises, { writeFile, rm })
    syncBuiltinESMExports()
  }
}

/** A journal of as many records as lines, which only notes the calls of its database. */
class NotedJournal implements CheckpointedJournal {
  readonly directory: string
  readonly calls: Array<Call> = []
  readonly parts: Parts
  readonly bytesSinceCheckpoint = 100
  readonly failure = undefined
  manifest: Manifest | undefined
  lines = 1

  constructor(directory: string) {
    this.directory = directory
    this.parts = new Parts({
      path: directory,
      damagedError: (damage) => new Error(damage),
      assertInPlace: () => {}
    })
  }

  captureAt<A>(capture: () => A) {
    return { captured: capture(), seq: this.lines, checksum: 1 }
  }

  *feedSlices(after: number, to: number) {
    yield Array.from({ length: to - after }, (_, i) => `line ${after + i}`)
  }

  install(manifest: Manifest): void {
    this.calls.push(["installed", partsOf(manifest).map(([id]) => id).join()])
    this.manifest = manifest
  }

  *deleteRecords() {
    this.calls.push(["records deleted", ""])
    yield
  }
}

describe("a checkpoint", () => {
  it.live("is installed after its parts and their folder are synced, and records are deleted after that", () =>
    Effect.promise(async () => {
      const directory = mkdtempSync(join(tmpdir(), "rollup-order-"))
      const journal = new NotedJournal(directory)
      const image = openMemoryLedger({ genesis }).capture()
      const pool = openMemoryPool().capture()
      // other rows each time, so that the parts of the checkpoint before are deleted
      const capture = () => ({ ledger: structuredClone(image), pool })
      const writer = new CheckpointWriter(journal, capture, undefined)
      const unaborted = new AbortController().signal
      try {
        for (const lines of [1, 2, 3]) {
          journal.lines = lines
          journal.calls.length = 0
          const before = partsOf(journal.manifest).map(([id]) => id)
          await recordingFiles(journal.calls, async () => void await writer.write(unaborted))
          const { calls } = journal
          if (lines === 1) assert.deepStrictEqual(calls.shift(), ["synced", basename(directory)])
          const places = (call: string) => calls.flatMap(([each], at) => each === call ? [at] : [])
          const [installed] = places("installed")
          const parts = partsOf(journal.manifest).map(([id]) => id)
          const written = calls.filter(([call]) => call.startsWith("written"))
          assert.deepStrictEqual(
            written,
            parts.filter((id) => !before.includes(id)).sort((a, b) => a - b)
              .map((id) => ["written and synced", String(id)]),
            "each new part is synced"
          )
          assert.deepStrictEqual(
            calls.slice(written.length, installed! + 1).map(([call, on]) => `${call} ${on}`),
            ["synced checkpoint", `installed ${parts.join()}`],
            "then their folder, and the manifest is installed"
          )
          const deleted = calls.filter(([call]) => call === "deleted").map(([, on]) => Number(on))
          assert.sameMembers(deleted, before.filter((id) => !parts.includes(id)))
          const removals = [...places("deleted"), ...places("records deleted")]
          assert.isTrue(removals.every((at) => at > installed!))
          assert.isAtLeast(removals.length, lines === 1 ? 1 : 2)
        }
      } finally {
        journal.parts.close()
        rmSync(directory, { recursive: true })
      }
    }))
})

describe("a new journal", () => {
  it.live("is created with all directories of its path, whose names are synced", () =>
    Effect.promise(async () => {
      const directory = mkdtempSync(join(tmpdir(), "rollup-new-"))
      const calls: Array<Call> = []
      try {
        await recordingFiles(calls, async () => createDatabase(join(directory, "first", "second")))
        assert.sameDeepMembers(calls, [["synced", "first"], ["synced", basename(directory)]])
      } finally {
        rmSync(directory, { recursive: true })
      }
    }))

  it("fails in a directory of the system in which nothing can be created", () => {
    assert.throws(() => createDatabase("/proc/rollup/data"), "no such file or directory")
  })
})
