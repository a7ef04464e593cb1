import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { ledgerOver, openStores, temporaryDirectory } from "./_directories.ts"
import { dumpStores, noKeys, type Stores } from "./_store_dump.ts"

/* What closing the stores of a directory leaves to the next start. */

const simulation = simulate({ seed: "closing", users: 20, placeholderRoots: true })
const { genesis } = simulation
const records = [...initialHistory(simulation, 300)]

/** A digest of the content of stores, which are too large for a message. */
const contentOf = (stores: Stores) =>
  Effect.map(
    dumpStores(stores, noKeys()),
    (content) => createHash("sha256").update(content).digest("hex")
  )

/** Applies all records to a directory, and closes it. Returns the content of its stores. */
const write = (directory: string, closingMs: number, beforeClosing = () => {}) =>
  Effect.scoped(Effect.gen(function*() {
    const stores = yield* openStores(directory, genesis, { closingMs })
    const ledger = yield* ledgerOver(genesis, stores)
    for (const record of records) yield* ledger.applyRecord(record)
    const content = yield* contentOf(stores)
    beforeClosing()
    return content
  }))

/** Opens a directory and closes it. Returns what it contains, and how it was read. */
const reopen = (directory: string) =>
  Effect.scoped(Effect.gen(function*() {
    const stores = yield* openStores(directory, genesis, { closingMs: 60_000 })
    const { checkpointSeq, records } = stores.journal.replayReport
    return { checkpointSeq, records, content: yield* contentOf(stores) }
  }))

describe("closing a directory", () => {
  it.live("writes a checkpoint, so that the next start replays no records", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const content = yield* write(directory, 60_000)
      const read = { checkpointSeq: records.length, records: 0, content }
      assert.deepStrictEqual(yield* reopen(directory), read)
      // nothing was written since
      assert.deepStrictEqual(yield* reopen(directory), read)
    })))

  it.live("leaves all records to the next start if the checkpoint cannot be written", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const parts = join(directory, "checkpoint")
      const content = yield* write(directory, 60_000, () => writeFileSync(parts, "a file"))
      rmSync(parts)
      assert.deepStrictEqual(
        yield* reopen(directory),
        { checkpointSeq: 0, records: records.length, content }
      )
      // the second opening has closed with a checkpoint
      assert.strictEqual((yield* reopen(directory)).records, 0)
    })))

  it.live("leaves all records to the next start if the checkpoint takes too long", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      // a timer of a nanosecond ends before the first part is written
      const content = yield* write(directory, 1e-6)
      assert.deepStrictEqual(
        yield* reopen(directory),
        { checkpointSeq: 0, records: records.length, content }
      )
    })))
})
