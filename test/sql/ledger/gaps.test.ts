/* What a gap of empty blocks costs in the tables of a database. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import type { FeedRecord } from "../../../core/domain/mod.ts"
import { decideBlock, decidePrices } from "../../../core/use_cases/mod.ts"
import { afterGapOf } from "../../laws/gaps.ts"
import { ledgerTables, writerDatabase } from "../_writer_database.ts"

const simulation = simulate({ seed: 1, placeholderRoots: true, rollBackPeriodBlocks: 0 })
const { genesis } = simulation
const records = Array.from({ length: 30 }, () => simulation.next())
const at = records.findLastIndex((record) =>
  record.kind === "block" && (record.block.batches ?? []).length > 0
)
const dense = records.slice(0, at + 1)

/** Writes records to a new database, and returns the rows of each table and their bytes. */
const sizesOf = (written: ReadonlyArray<FeedRecord>) =>
  Effect.scoped(Effect.gen(function*() {
    const { open, sql, writer: { port } } = yield* writerDatabase
    yield* open(genesis)
    for (const record of written) {
      if (record.kind === "block") {
        yield* port.apply(
          record.block,
          decideBlock({ constants: genesis.constants, keccak256 }, record.block)
        )
      } else if (record.kind === "prices") {
        yield* port.setPrices(record.prices, decidePrices(record.prices))
      }
    }
    const rows: { [table: string]: number } = {}
    let bytes = 0
    for (const table of ledgerTables) {
      const [size] = yield* sql.unsafe<{ readonly rows: bigint; readonly bytes: bigint }>(
        `SELECT count(*) AS rows, coalesce(sum(pg_column_size(r.*)), 0)::bigint AS bytes FROM ${table} AS r`
      )
      rows[table] = Number(size!.rows)
      bytes += Number(size!.bytes)
    }
    return { rows, bytes }
  }))

describe("a gap of 1,000,000 empty blocks", () => {
  it.live("adds no block, and less than 1 kB to the rows of all tables", () =>
    Effect.gen(function*() {
      const without = yield* sizesOf(dense)
      const sizes = yield* sizesOf(afterGapOf(dense, 1_000_000n))
      // the batch after the gap is in another slot, which has a posting list
      assert.deepStrictEqual(sizes.rows, { ...without.rows, posting: without.rows.posting! + 1 })
      assert.isBelow(sizes.bytes - without.bytes, 1000)
      assert.isAbove(sizes.rows.block!, 10)
    }))
})
