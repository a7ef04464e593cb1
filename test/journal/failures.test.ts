import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { exportFeed, type JournalError } from "../../adapters/journal/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { openStores, temporaryDirectory } from "./_directories.ts"

/* Data directories that are in use, damaged, or not what they should be. */

const { genesis } = simulate({ seed: "failures" })

/** Returns the error of opening a directory. */
const openingError = (directory: string, network = genesis): Effect.Effect<JournalError> =>
  Effect.orDie(Effect.flip(Effect.scoped(openStores(directory, network))))

const database = (directory: string) => join(directory, "journal.sqlite")

const changeRecords = (directory: string, statement: string) => {
  const opened = new DatabaseSync(database(directory))
  opened.exec(statement)
  opened.close()
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe("a data directory", () => {
  it.live("is created with its files for their owner only", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "data")
      yield* openStores(directory, genesis)
      const files = readdirSync(directory)
      assert.isAbove(files.length, 2)
      assert.deepStrictEqual(
        [directory, ...files.map((file) => join(directory, file))].map(modeOf),
        ["700", ...files.map(() => "600")],
        files.join(" ")
      )
    })))

  it.live("keeps its permissions if it exists", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "data")
      mkdirSync(directory)
      chmodSync(directory, 0o750)
      yield* openStores(directory, genesis)
      assert.strictEqual(modeOf(directory), "750")
    })))

  it.live("is open in one process, and the error of a second one names the first", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* openStores(directory, genesis)
      const inProcess = yield* openingError(directory)
      assert.strictEqual(inProcess.reason, "inUse")
      const { status, stderr } = spawnSync(process.execPath, [
        join(import.meta.dirname, "_second_process.ts"),
        directory
      ], { encoding: "utf8" })
      assert.strictEqual(status, 1)
      assert.include(stderr, `Directory "${directory}" is in use by process ${process.pid} on `)
    })))

  it.live("is refused if it is a file, is in a file, or contains something else", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "file")
      writeFileSync(file, "something else")
      for (const path of [file, join(file, "below")]) {
        const { message, reason } = yield* openingError(path)
        assert.strictEqual(reason, "directory", message)
        assert.include(message, `"${path}"`)
      }
      copyFileSync(file, database(directory))
      assert.strictEqual((yield* openingError(directory)).reason, "foreign")
      const other = join(directory, "other")
      mkdirSync(other)
      changeRecords(other, "CREATE TABLE mine (a)")
      assert.strictEqual((yield* openingError(other)).reason, "foreign")
      assert.strictEqual(
        (yield* Effect.orDie(Effect.flip(exportFeed(join(directory, "none"))))).reason,
        "missing"
      )
      assert.isFalse(existsSync(join(directory, "none")))
    })))

  it.live("is refused if it has another network or an unknown format", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(openStores(directory, genesis))
      const other = yield* openingError(directory, simulate({ seed: "other" }).genesis)
      assert.strictEqual(other.reason, "otherNetwork")
      assert.match(
        other.message,
        /holds the network "Rollup Network" \(prefix zk, chain 1337, genesis block 0x[0-9a-f]{8}…\), not /u
      )
      for (const format of [1, 8, 10]) {
        changeRecords(directory, `PRAGMA user_version = ${format}`)
        const { message, reason } = yield* openingError(directory)
        assert.strictEqual(reason, "otherFormat")
        assert.include(message, `has format ${format}, expected 9: open it with the program that`)
      }
    })))
})
