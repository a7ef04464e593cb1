import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Parts } from "../../../adapters/journal/checkpoint/mod.ts"
import { Journal } from "../../../adapters/journal/log/journal.ts"
import { JournalError } from "../../../adapters/journal/mod.ts"
import { authorizationOf } from "../../laws/pool/_pool_rows.ts"
import { rounds } from "../../rounds.ts"
import {
  applyRecords,
  contentIn,
  filesIn,
  ledgerOver,
  openStores,
  smallNetwork,
  temporaryDirectory
} from "../_directories.ts"
import { dumpStores, noKeys } from "../_store_dump.ts"

/* A data directory that is renamed, removed or replaced while it is open. */

const { genesis, records } = smallNetwork("moved")
const half = records.length >> 1
const [early, late] = [records.slice(0, half), records.slice(half)]

/** The stores of a directory that are closed by `close`, and their content. */
const openWith = (directory: string, hasCheckpoint: boolean) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const stores = yield* Scope.provide(openStores(directory, genesis), scope)
    yield* applyRecords(genesis, stores, early)
    if (hasCheckpoint) yield* stores.journal.checkpoint
    yield* applyRecords(genesis, stores, late)
    return {
      stores,
      content: yield* dumpStores(stores, noKeys()),
      close: Scope.close(scope, Exit.void)
    }
  })

/**
 * Copies an open directory, as a backup that was made too early. The thread of
 * a checkpoint may remove an entry between listing and copying; then the copy
 * starts again.
 */
const copyOf = (directory: string): string => {
  const copy = `${directory}.copy`
  for (;;) {
    try {
      cpSync(directory, copy, { recursive: true })
      return copy
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
      rmSync(copy, { recursive: true, force: true })
    }
  }
}

/** Moves a directory. Returns where it is now; undefined if nowhere. */
type Move = (directory: string) => string | undefined

const rename: Move = (directory) => {
  renameSync(directory, `${directory}.moved`)
  return `${directory}.moved`
}

const remove: Move = (directory) => {
  rmSync(directory, { recursive: true })
  return undefined
}

const replace: Move = (directory) => {
  const copy = copyOf(directory)
  const moved = rename(directory)
  renameSync(copy, directory)
  return moved
}

const moves: { readonly [name: string]: Move } = {
  "is renamed": rename,
  "is removed": remove,
  "is replaced by a copy": replace,
  "is replaced by an empty directory": (directory) => {
    const moved = rename(directory)
    mkdirSync(directory)
    return moved
  },
  "is in a directory that is renamed": (directory) => join(rename(dirname(directory))!, "data"),
  "loses its database": (directory) => {
    const copy = copyOf(directory)
    for (const name of ["journal.sqlite", "journal.sqlite-wal"]) {
      renameSync(join(directory, name), join(copy, name))
    }
    return copy
  }
}

const movesWithCheckpoint: typeof moves = {
  ...moves,
  "loses its parts": (directory) => {
    const copy = copyOf(directory)
    rmSync(join(copy, "checkpoint"), { recursive: true })
    renameSync(join(directory, "checkpoint"), join(copy, "checkpoint"))
    return copy
  }
}

/** Moves an open directory, and compares what the journal reports and leaves with what is right. */
const assertNoticed = (hasCheckpoint: boolean) => ([name, move]: readonly [string, Move]) =>
  Effect.gen(function*() {
    const directory = join(yield* temporaryDirectory, "parent", "data")
    mkdirSync(dirname(directory))
    const { close, content, stores } = yield* openWith(directory, hasCheckpoint)
    const moved = move(directory)
    const before = filesIn(directory)
    const failure = yield* Effect.flip(stores.journal.failed)
    assert.isFalse(failure.retry, name)
    assert.include(
      failure.message,
      `Directory "${directory}" was moved, removed or replaced while it was open ("${directory}/`
    )
    assert.strictEqual(yield* Effect.flip(stores.reader.snapshotId), failure, name)
    assert.strictEqual(yield* Effect.flip(stores.journal.checkpoint), failure, name)
    yield* close
    // the database is still there, and is closed as always
    if (name !== "loses its parts") assert.deepStrictEqual(filesIn(directory), before, name)
    if (moved !== undefined) assert.isTrue((yield* contentIn(moved, genesis)) === content, name)
  })

/** Number of turns of the event loop that a checkpoint takes. */
const turnsOfCheckpoint = Effect.gen(function*() {
  const directory = join(yield* temporaryDirectory, "data")
  const { close, stores } = yield* openWith(directory, true)
  const checkpoint = yield* Effect.forkChild(stores.journal.checkpoint)
  let turns = 0
  for (; checkpoint.pollUnsafe() === undefined; turns++) yield* Effect.sleep(0)
  yield* close
  return turns
})

describe("an open data directory", () => {
  for (const hasCheckpoint of [false, true]) {
    it.live(
      `that is renamed, removed or replaced is noticed within a second, and no byte changes at its path, ${
        hasCheckpoint ? "with" : "without"
      } a checkpoint`,
      () =>
        Effect.scoped(
          Effect.forEach(
            Object.entries(hasCheckpoint ? movesWithCheckpoint : moves),
            assertNoticed(hasCheckpoint),
            { concurrency: "unbounded" }
          )
        )
    )
  }

  it.live("that is a symbolic link is noticed if the link leads to another one", () =>
    Effect.scoped(Effect.gen(function*() {
      const parent = yield* temporaryDirectory
      const [link, first, second] = ["data", "first", "second"].map((name) => join(parent, name))
      mkdirSync(first!)
      symlinkSync(first!, link!)
      const { close, content, stores } = yield* openWith(link!, true)
      cpSync(first!, second!, { recursive: true })
      const before = filesIn(second!)
      symlinkSync(second!, `${link}.new`)
      renameSync(`${link}.new`, link!)
      assert.include((yield* Effect.flip(stores.journal.failed)).message, "is not what was opened")
      yield* close
      assert.deepStrictEqual(filesIn(second!), before)
      assert.isTrue((yield* contentIn(first!, genesis)) === content)
    })))

  it.live("acknowledges no write after it was moved", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "data")
      const { close, stores } = yield* openWith(directory, true)
      const ledger = yield* ledgerOver(genesis, stores)
      rename(directory)
      const [prices, authorization] = yield* Effect.all([
        Effect.flip(ledger.setPrices([])),
        Effect.flip(stores.store.addAuthorization(authorizationOf(1)))
      ], { concurrency: "unbounded" })
      assert.include(prices.message, "was moved, removed or replaced")
      assert.strictEqual(authorization, prices)
      yield* close
      assert.isFalse(existsSync(directory))
    })))

  for (const [name, move] of Object.entries({ rename, remove, replace })) {
    it.live(
      `loses nothing by a ${name} during a checkpoint, at each of its stages`,
      () =>
        Effect.scoped(Effect.gen(function*() {
          const moments = rounds({ short: 6, long: 16 })
          const turnsMax = yield* turnsOfCheckpoint
          let failed = 0
          const noticed: Array<Fiber.Fiber<void>> = []
          // on a busy machine a checkpoint may end before most moments: then there are more rounds
          for (let moment = 0; moment < moments || failed <= moments / 4; moment++) {
            const turns = Math.round((moment % moments) / moments * turnsMax)
            const directory = join(yield* temporaryDirectory, "data")
            const { close, content, stores } = yield* openWith(directory, moment % 2 === 0)
            const checkpoint = yield* Effect.forkChild(stores.journal.checkpoint)
            for (let turn = 0; turn < turns; turn++) yield* Effect.sleep(0)
            const moved = move(directory)
            const before = filesIn(directory)
            if (Exit.isFailure(yield* Fiber.await(checkpoint))) failed++
            // the journal looks once a second: the next moments do not wait for that
            noticed.push(
              yield* Effect.forkChild(Effect.orDie(Effect.gen(function*() {
                const failure = yield* Effect.flip(stores.journal.failed)
                assert.include(failure.message, "was moved, removed or replaced", `${turns} turns`)
                yield* close
                assert.deepStrictEqual(filesIn(directory), before, `${turns} turns`)
                if (moved !== undefined) {
                  assert.isTrue((yield* contentIn(moved, genesis)) === content, `${turns} turns`)
                }
              })))
            )
          }
          yield* Fiber.joinAll(noticed)
          assert.isAbove(failed, moments / 4)
        })),
      60_000
    )
  }

  it("keeps its parts to itself if another one takes its place between a check and a step", async () => {
    const runs = async (swapAt: number): Promise<boolean> => {
      const parent = await Effect.runPromise(Effect.scoped(temporaryDirectory))
      const directory = join(parent, "data")
      mkdirSync(directory, { recursive: true })
      let checks = 0
      const parts = new Parts({
        path: directory,
        damagedError: (damage) => new Error(damage),
        assertInPlace: () => {
          if (checks++ !== swapAt) return
          replace(directory)
          rmSync(join(directory, "checkpoint", "1"), { force: true })
          before = filesIn(directory)
        }
      })
      let before: ReturnType<typeof filesIn>
      parts.create()
      const added = []
      for (let i = 0; i < 4; i++) added.push(await parts.add(Buffer.from([i])))
      await parts.sync()
      await parts.deleteExcept(added.slice(2))
      if (swapAt > 1 && checks > swapAt) {
        assert.deepStrictEqual(filesIn(directory), before, `Check ${swapAt}`)
        assert.deepStrictEqual(readdirSync(`${directory}.moved/checkpoint`).sort(), ["3", "4"])
      }
      for (const part of added.slice(2)) assert.lengthOf(parts.read(part), 1)
      parts.close()
      rmSync(parent, { recursive: true })
      return checks > swapAt
    }
    let steps = 1
    while (await runs(steps)) steps++
    assert.isAtLeast(steps, 8)
  })
})

describe("the parts of a checkpoint", () => {
  it("that cannot be listed are named by the path that users know", () => {
    const parent = mkdtempSync(join(tmpdir(), "parts-"))
    const source = join(import.meta.dirname, "../../../adapters/journal/checkpoint/parts.ts")
    const script = `
      import { openSync } from "node:fs"
      import { Parts } from ${JSON.stringify(source)}
      const parts = new Parts({ path: ${JSON.stringify(parent)}, assertInPlace: () => {} })
      parts.create()
      try { for (;;) openSync("/dev/null") } catch {}
      await parts.deleteExcept([]).catch(({ message }) => console.log(message))
    `
    const message = execFileSync(
      "sh",
      [
        "-c",
        `ulimit -n 128; exec "$@"`,
        "sh",
        process.execPath,
        "--input-type=module",
        "--eval",
        script
      ],
      { encoding: "utf8" }
    )
    rmSync(parent, { recursive: true })
    assert.match(message, /^EMFILE: /u)
    assert.include(message, `'${join(parent, "checkpoint")}'`)
  })
})

describe("a start", () => {
  for (const hasCheckpoint of [false, true]) {
    for (const [name, move] of Object.entries({ rename, remove, replace })) {
      it.live(`ends if its directory has a ${name} before it is written, ${hasCheckpoint ? "with" : "without"} a checkpoint`, () =>
        Effect.scoped(Effect.gen(function*() {
          const directory = join(yield* temporaryDirectory, "data")
          const { close, content } = yield* openWith(directory, hasCheckpoint)
          yield* close
          const journal = new Journal(directory, genesis)
          const moved = move(directory)
          const before = filesIn(directory)
          // reading goes on where the files are now
          if (moved !== undefined) assert.isAbove([...journal.replay()].length, 0)
          let error: unknown
          try {
            journal.startWriting()
          } catch (thrown) {
            error = thrown
          }
          assert.instanceOf(error, JournalError)
          assert.strictEqual(error.reason, "directory")
          assert.match(error.message, /was moved, removed or replaced during the start/u)
          journal.close()
          assert.deepStrictEqual(filesIn(directory), before)
          if (moved !== undefined) assert.isTrue((yield* contentIn(moved, genesis)) === content)
        })))
    }
  }
})
