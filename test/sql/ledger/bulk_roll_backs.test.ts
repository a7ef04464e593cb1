import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { type BulkWrite, BulkWriter, Database, sqlStores } from "../../../adapters/sql/mod.ts"
import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import {
  type BlockViolation,
  decideBlock,
  decideHead,
  decidePrices,
  decideRollBack
} from "../../../core/use_cases/mod.ts"
import type { WriteResult } from "../../../adapters/sql/writes/bulk_write.ts"
import { auditIn, openDatabase } from "../../audit/_stores.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { freshDatabase } from "../../postgres/mod.ts"
import { crowdedOptionsOf, gappedNetworkOf, seeds, titled } from "../../properties/_networks.ts"

type WrittenRecord = Exclude<FeedRecord, { readonly kind: "genesis" }>

const writeOf = (
  { block, constants }: GenesisFeed,
  record: WrittenRecord
): BulkWrite<BlockViolation> => {
  switch (record.kind) {
    case "block":
      return { ...record, decide: decideBlock({ constants, keccak256 }, record.block) }
    case "prices":
      return { ...record, check: decidePrices(record.prices) }
    case "head":
      return { ...record, check: decideHead(constants.auction, record.head) }
    case "rollBack":
      return { ...record, check: decideRollBack(block.number, record.toBlock) }
  }
}

const tables = [
  "ledger",
  "block",
  "batch",
  "rollback",
  "account",
  "transaction",
  "queued_transaction",
  "exit",
  "withdrawal",
  "token",
  "price_change",
  "coordinator",
  "registration",
  "bid",
  "parameter_set"
]
/** Columns that differ with the number of transactions in the database, their times and names. */
const otherColumns = "'{last_write,token_version,part_versions,time_ms}'::text[]"

const rowsOf = ({ reads: sql }: Database["Service"]) =>
  Effect.forEach(tables, (table) =>
    Effect.map(
      sql.unsafe<{ readonly row: string }>(
        `SELECT (to_jsonb(r) - ${otherColumns} - ${
          table === "token" ? "'version'" : "''"
        })::text AS row FROM ${table} AS r ORDER BY 1`
      ),
      (rows) => [table, rows.map(({ row }) => row)] as const
    )).pipe(Effect.map(Object.fromEntries<ReadonlyArray<string>>))

/** An empty database, with a function that applies records in one transaction. */
const ledgerOf = Effect.fnUntraced(function*(genesis: GenesisFeed) {
  const { url } = yield* Effect.promise(freshDatabase)
  const stores = yield* Layer.build(
    Layer.fresh(sqlStores({ url: Redacted.make(url), genesis, maxConnections: 4 }))
  )
  const { applyAll } = Context.get(stores, BulkWriter)
  return {
    database: yield* openDatabase(url),
    apply: (records: ReadonlyArray<WrittenRecord>) =>
      applyAll(records.map((record) => writeOf(genesis, record)))
  }
})

/**
 * Repeats some blocks, and adds rollbacks, some within others, each with the records that it removed
 * after it.
 */
const withRollBacks = (
  records: ReadonlyArray<WrittenRecord>,
  random: SeededRandom
): ReadonlyArray<WrittenRecord> => {
  const added: Array<WrittenRecord> = []
  let stored: Array<{ readonly number: bigint; readonly end: number }> = []
  const add = (record: WrittenRecord) => {
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

const isWritten = (record: FeedRecord): record is WrittenRecord => record.kind !== "genesis"

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
        const rows = yield* rowsOf(grouped.database)
        assert.deepStrictEqual(rows, yield* rowsOf(single.database))
        assert.isAbove(rows["rollback"]!.length, 0)
        const sql = grouped.database.writes
        const { violations } = yield* sql.withTransaction(auditIn(sql, { proofs: true }))
        assert.deepStrictEqual(violations, [])
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
        assert.deepStrictEqual(yield* rowsOf(grouped.database), yield* rowsOf(single.database))
      })))
  }
})
