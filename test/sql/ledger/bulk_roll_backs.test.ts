import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { eachOfLastRows } from "../../../adapters/sql/postings/write_postings.ts"
import type { WriteResult } from "../../../adapters/sql/writes/bulk_write.ts"
import type { BulkRecord } from "../../../app/commands/ingest.ts"
import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import { auditIn, bulkWriteOf } from "../../audit/_stores.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { crowdedOptionsOf, gappedNetworkOf, seeds, titled } from "../../properties/_networks.ts"
import { contents, writerDatabase } from "../_writer_database.ts"

/**
 * The tables without the posting lists, whose rows depend on the groups, and without what differs
 * with the number of transactions of the database and with their times.
 */
const rowsOf = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const tables = yield* contents(sql, {
    ledger: ["last_write", "token_version", "part_versions"],
    rollback: ["time_ms"],
    token: ["version"]
  })
  delete tables["posting"]
  return tables
})

/** An empty ledger, with a function that applies records in one transaction. */
const ledgerOf = Effect.fnUntraced(function*(genesis: GenesisFeed) {
  const { open, sql, writer } = yield* writerDatabase
  yield* open(genesis)
  return {
    sql,
    apply: (records: ReadonlyArray<BulkRecord>) =>
      writer.applyAll(records.map((record) => bulkWriteOf(genesis, record)))
  }
})

/**
 * Repeats some blocks, and adds rollbacks, some within others, each with the records that it removed
 * after it.
 */
const withRollBacks = (
  records: ReadonlyArray<BulkRecord>,
  random: SeededRandom
): ReadonlyArray<BulkRecord> => {
  const added: Array<BulkRecord> = []
  let stored: Array<{ readonly number: bigint; readonly end: number }> = []
  const add = (record: BulkRecord) => {
    added.push(record)
    if (record.kind === "block" && record.block.number > (stored.at(-1)?.number ?? 0n)) {
      stored.push({ number: record.block.number, end: added.length })
    }
    if (record.kind === "rollBack") {
      stored = stored.filter(({ number }) => number <= record.toBlock)
    }
  }
  for (const record of records) {
    add(record)
    if (stored.length > 0 && random.chance(0.2)) add(added[random.of(stored).end - 1]!)
    const last = stored.at(-1 - random.below(8))
    if (last === undefined || !random.chance(0.2)) continue
    const removed = added.slice(last.end)
    if (removed.length === 0 || removed.length > 40) continue
    add({ kind: "rollBack", toBlock: last.number })
    for (const again of removed) add(again)
  }
  return added
}

/** Returns what a write reported, without the rows. */
const report = ({ applied, rolledBack, snapshotId }: WriteResult) => ({
  applied,
  rolledBack,
  snapshotId
})

const isWritten = (record: FeedRecord): record is BulkRecord => record.kind !== "genesis"

describe("writes with rollbacks in one transaction", () => {
  for (const seed of seeds) {
    const options = { ...crowdedOptionsOf(seed), transactionsPerBlock: 10 }
    const { genesis, records } = gappedNetworkOf(options, 150)
    const random = new SeededRandom(seed)
    const written = withRollBacks(records.filter(isWritten), random)
    const title = titled(seed, "test/sql/ledger/bulk_roll_backs.test.ts")

    it.live(`store what they store one by one, of ${title}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const [single, grouped] = [yield* ledgerOf(genesis), yield* ledgerOf(genesis)]
        const [expected, actual] = [[], []] as [Array<unknown>, Array<unknown>]
        for (const record of written) expected.push(...(yield* single.apply([record])).map(report))
        for (let i = 0; i < written.length;) {
          const size = 1 + random.below(60)
          actual.push(...(yield* grouped.apply(written.slice(i, i + size))).map(report))
          i += size
        }
        assert.deepStrictEqual(actual, expected)
        const rows = yield* rowsOf(grouped.sql)
        assert.deepStrictEqual(rows, yield* rowsOf(single.sql))
        assert.isAbove(rows["rollback"]!.length, 0)
        const { violations } = yield* grouped.sql.withTransaction(
          auditIn(grouped.sql, { proofs: true })
        )
        assert.deepStrictEqual(violations, [])
        // in a list with a full row, fewer than 16 items wait for the lists of combined filters
        assert.deepStrictEqual(
          yield* grouped.sql.unsafe(
            "SELECT first_item FROM posting WHERE first_ordinal > 0 AND cardinality(items) - filed > 15"
          ),
          []
        )
        // a long rollback reads the rows that it removes in several parts
        const removed: Array<number> = []
        yield* eachOfLastRows(
          grouped.sql,
          "transactions",
          5n,
          (part) => Effect.sync(() => removed.unshift(...part.map(({ itemId }) => itemId))),
          8
        )
        assert.deepStrictEqual(
          yield* grouped.sql.unsafe(
            "SELECT item_id::integer AS item FROM transaction WHERE item_id >= 5 ORDER BY item_id"
          ),
          removed.map((item) => ({ item }))
        )
        assert.isAbove(removed.length, 8)
      })))

    it.live(`store the writes before a refused one, of ${title}`, () =>
      Effect.scoped(Effect.gen(function*() {
        // the last block that a rollback removes is invalid, so the rollbacks before it have happened
        const at = written.findLastIndex(({ kind }, i) =>
          kind === "block" &&
          written.slice(i + 1).find((next) => next.kind === "block" || next.kind === "rollBack")
              ?.kind === "rollBack"
        )
        const last = written[at]!
        assert(last.kind === "block")
        const hash = `0x${"0".repeat(64)}`
        const invalid = { ...last, block: { ...last.block, hash, timestampMs: 0 } }
        const [single, grouped] = [yield* ledgerOf(genesis), yield* ledgerOf(genesis)]
        for (const record of written.slice(0, at)) yield* single.apply([record])
        const refused = yield* Effect.flip(grouped.apply(written.with(at, invalid)))
        assert.deepStrictEqual(refused, yield* Effect.flip(single.apply([invalid])))
        assert.deepStrictEqual(yield* rowsOf(grouped.sql), yield* rowsOf(single.sql))
      })))
  }
})
