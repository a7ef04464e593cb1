import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { lineOf, openForWriting } from "../../../adapters/journal/log/database.ts"
import { openMonitor } from "../../../adapters/metrics/mod.ts"
import { Monitor } from "../../../core/ports/mod.ts"
import { authorizationOf } from "../../laws/pool/_pool_rows.ts"
import { genesis } from "../../use_cases/_network.ts"
import { ledgerOver, openStores, temporaryDirectory } from "../_directories.ts"

/** Returns the number of transactions in a write-ahead log, from the headers of its frames. */
const commitsIn = (directory: string): number => {
  const log = readFileSync(join(directory, "journal.sqlite-wal"))
  const frameBytes = 24 + log.readUInt32BE(8)
  let commits = 0
  // the last frame of a transaction has the size of the database
  for (let at = 32; at < log.length; at += frameBytes) {
    commits += log.readUInt32BE(at + 4) > 0
      ? 1
      : 0
  }
  return commits
}

describe("the database of a journal", () => {
  it.live("waits for the disk with each commit", () =>
    Effect.scoped(Effect.gen(function*() {
      const { acknowledgedFile, database } = openForWriting(
        yield* temporaryDirectory,
        lineOf(genesis),
        undefined
      )
      const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0]
      // 2 is FULL
      assert.deepStrictEqual([pragma("synchronous"), pragma("journal_mode")], [2, "wal"])
      database.close()
      acknowledgedFile.close()
    })))

  it.live("commits the writes of the pool in one turn of the event loop together", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { store } = yield* openStores(directory, genesis)
      const writes = (first: number) =>
        Array.from({ length: 10 }, (_, i) => store.addAuthorization(authorizationOf(first + i)))
      const before = commitsIn(directory)
      yield* Effect.all(writes(0))
      const apart = commitsIn(directory)
      assert.strictEqual(apart, before + 10)
      yield* Effect.all(writes(10), { concurrency: "unbounded" })
      assert.strictEqual(commitsIn(directory), apart + 1)
    })))

  it.live("has the documented files while it is open, and no shared memory", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const stores = yield* openStores(directory, genesis)
      yield* (yield* ledgerOver(genesis, stores)).setPrices([])
      assert.deepStrictEqual(readdirSync(directory).sort(), [
        "acknowledged",
        "holder.json",
        "journal.sqlite",
        "journal.sqlite-wal"
      ])
    })))
})

describe("the health of a journal", () => {
  it.live("is degraded while the disk is full, and reads go on", () =>
    Effect.scoped(Effect.gen(function*() {
      const monitor = openMonitor()
      const directory = yield* temporaryDirectory
      const stores = yield* Effect.provideService(
        openStores(directory, genesis),
        Monitor,
        monitor
      )
      assert.strictEqual((yield* monitor.health).journal!.state, "ok")
      const ledger = yield* ledgerOver(genesis, stores)
      stores.journal.limitPages(1)
      yield* Effect.flip(Effect.repeat(ledger.setPrices([]), { times: 1000 }))
      const { detail, state } = (yield* monitor.health).journal!
      assert.strictEqual(state, "degraded")
      assert.include(detail, directory)
      assert.isAtLeast((yield* stores.reader.snapshotId).version, 0)
    })))
})
