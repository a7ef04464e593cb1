/* What a gap of empty blocks costs in the records of a directory and in its checkpoint. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { simulate } from "../../../app/simulator/mod.ts"
import type { FeedRecord } from "../../../core/domain/mod.ts"
import { afterGapOf } from "../../laws/gaps.ts"
import { ledgerOver, openStores, temporaryDirectory } from "../_directories.ts"

const simulation = simulate({ seed: 1, placeholderRoots: true, rollBackPeriodBlocks: 0 })
const { genesis } = simulation
const records = Array.from({ length: 30 }, () => simulation.next())
const at = records.findLastIndex((record) =>
  record.kind === "block" && (record.block.batches ?? []).length > 0
)
const dense = records.slice(0, at + 1)

/** Writes records and then a checkpoint to a directory, and returns the sizes. */
const sizesOf = (directory: string, written: ReadonlyArray<FeedRecord>) =>
  Effect.gen(function*() {
    yield* Effect.scoped(Effect.gen(function*() {
      const ledger = yield* ledgerOver(genesis, yield* openStores(directory, genesis))
      for (const record of written) yield* ledger.applyRecord(record)
    }))
    const database = new DatabaseSync(join(directory, "journal.sqlite"), { readOnly: true })
    const row = database.prepare(
      "SELECT count(*) AS records, sum(octet_length(text)) AS bytes FROM record"
    ).get()!
    database.close()
    const { bytes } = yield* Effect.scoped(
      Effect.flatMap(openStores(directory, genesis), ({ journal }) => journal.checkpoint)
    )
    return { records: Number(row.records), bytes: Number(row.bytes), checkpointBytes: bytes }
  })

describe("a gap of 1,000,000 empty blocks", () => {
  it.live("costs less than 1 kB in the records and in the checkpoint of a directory", () =>
    Effect.scoped(Effect.gen(function*() {
      const [one, other] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const [without, sizes] = [
        yield* sizesOf(one, dense),
        yield* sizesOf(other, afterGapOf(dense, 1_000_000n))
      ]
      assert.strictEqual(sizes.records, without.records)
      assert.isBelow(sizes.bytes - without.bytes, 1000)
      assert.isBelow(sizes.checkpointBytes - without.checkpointBytes, 1000)
      // the member `previous`
      assert.isAbove(sizes.bytes - without.bytes, 80)
    })))
})
