/* What a gap of empty blocks costs: in a database, and in a directory and its checkpoint. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { simulate } from "../../../app/simulator/mod.ts"
import type { FeedRecord } from "../../../core/domain/mod.ts"
import { ledgerOver, openStores, temporaryDirectory } from "../../journal/_directories.ts"
import { afterGapOf } from "../../laws/gaps.ts"
import { emptyLedgersOfFile } from "../_empty_ledgers.ts"
import { ledgerTables } from "../_writer_database.ts"

const openLedger = emptyLedgersOfFile().open
const simulation = simulate({ seed: 1, placeholderRoots: true, rollBackPeriodBlocks: 0 })
const { genesis } = simulation
const records = Array.from({ length: 30 }, () => simulation.next())
const at = records.findLastIndex((record) =>
  record.kind === "block" && (record.block.batches ?? []).length > 0
)
const dense = records.slice(0, at + 1)
const sparse = afterGapOf(dense, 1_000_000n)

/** Writes records to a new database, and returns the rows of each table and their bytes. */
const sizesInTables = (written: ReadonlyArray<FeedRecord>) =>
  Effect.scoped(Effect.gen(function*() {
    const { database, ledger } = yield* openLedger(genesis)
    for (const record of written) yield* ledger.applyRecord(record)
    const rows: { [table: string]: number } = {}
    let bytes = 0
    for (const table of ledgerTables) {
      const [size] = yield* database.writes.unsafe<
        { readonly rows: bigint; readonly bytes: bigint }
      >(
        `SELECT count(*) AS rows, coalesce(sum(pg_column_size(r.*)), 0)::bigint AS bytes FROM ${table} AS r`
      )
      rows[table] = Number(size!.rows)
      bytes += Number(size!.bytes)
    }
    return { rows, bytes }
  }))

/** Writes records and then a checkpoint to a new directory, and returns the sizes. */
const sizesInDirectory = Effect.fnUntraced(function*(written: ReadonlyArray<FeedRecord>) {
  const directory = yield* temporaryDirectory
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
  it.live("adds no block, and less than 1 kB to the rows of all tables", () =>
    Effect.gen(function*() {
      const [without, sizes] = [yield* sizesInTables(dense), yield* sizesInTables(sparse)]
      // the batch after the gap is in another slot, which has a posting list
      assert.deepStrictEqual(sizes.rows, { ...without.rows, posting: without.rows.posting! + 1 })
      assert.isBelow(sizes.bytes - without.bytes, 1000)
      assert.isAbove(sizes.rows.block!, 10)
    }))

  it.live("costs less than 1 kB in the records and in the checkpoint of a directory", () =>
    Effect.scoped(Effect.gen(function*() {
      const [without, sizes] = [yield* sizesInDirectory(dense), yield* sizesInDirectory(sparse)]
      assert.strictEqual(sizes.records, without.records)
      assert.isBelow(sizes.bytes - without.bytes, 1000)
      assert.isBelow(sizes.checkpointBytes - without.checkpointBytes, 1000)
      // the member `previous`
      assert.isAbove(sizes.bytes - without.bytes, 80)
    })))
})
