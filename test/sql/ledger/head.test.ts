/* Heads in PostgreSQL: shared by all processes, and any number needs the space of a few. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import type { HeadFeed } from "../../../core/domain/mod.ts"
import { synchedBlockNum } from "../../../core/ports/mod.ts"
import { feedPosition } from "../../../core/use_cases/mod.ts"
import { auditIn, openDatabase } from "../../audit/_stores.ts"
import { execute } from "../../postgres/_statements.ts"
import { rounds } from "../../rounds.ts"
import { migratedDatabase } from "../_migrated_database.ts"
import { opened } from "../_running_node.ts"
import { scopedDatabase } from "../../postgres/mod.ts"

const options = { seed: "heads", rollBackPeriodBlocks: 0, placeholderRoots: true } as const
const { genesis } = simulate(options)
const records = [...initialHistory(simulate(options), 60)]
const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
const last = blocks.at(-1)!

const above = (by: bigint): HeadFeed => ({
  number: last.number + by,
  hash: last.hash,
  timestampMs: last.timestampMs,
  chainHead: last.number + by + 7n
})

const database = scopedDatabase(migratedDatabase)

const openedAt = (url: string) => opened(url, { genesis, maxConnections: 4 })

/** Bytes of all tables and indexes, without the maps that a vacuum adds. */
const bytesOf = (url: string) =>
  Effect.promise(async () => {
    const [row] = await execute(
      url,
      "SELECT sum(pg_relation_size(oid, 'main'))::bigint AS bytes FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace"
    )
    return Number(row!.bytes)
  })

describe("a head in PostgreSQL", () => {
  it.live("is known to other processes at once, and after a restart", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      const other = yield* openedAt(url)
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const { ledger, reader } = yield* openedAt(url)
        yield* Effect.forEach(records, ledger.applyRecord, { discard: true })
        yield* ledger.setHead(above(900n))
        return yield* reader.state
      }))
      assert.deepInclude(before.state, {
        lastSynchedBlock: last.number + 900n,
        lastEthereumBlock: last.number + 907n
      })
      assert.deepStrictEqual(yield* other.reader.state, before)
      const { version } = before.snapshotId
      const snapshot = yield* Effect.repeat(Effect.sync(() => other.tip.snapshot!(version)), {
        until: (each) => each !== null,
        schedule: Schedule.spaced(2)
      })
      assert.deepStrictEqual(snapshot!.snapshotId, before.snapshotId)
      assert.strictEqual(synchedBlockNum(snapshot!.snapshotId), last.number + 900n)
      assert.strictEqual(snapshot!.parts.head, version)
      assert.isBelow(snapshot!.parts.blocks, version)
      const { head, lastBlock } = yield* Effect.provide(feedPosition, other.services)
      assert.deepStrictEqual([head, lastBlock.number], [above(900n), last.number])
      // the process that takes over
      yield* other.ledger.setHead(above(5n))
      assert.strictEqual((yield* other.reader.state).state.lastSynchedBlock, last.number + 5n)
    })))

  it.live(
    "adds no row and, once a vacuum has run, no page to any table",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* database
        const { ledger, reader } = yield* openedAt(url)
        yield* Effect.forEach(records, ledger.applyRecord, { discard: true })
        const heads = BigInt(rounds({ short: 500, long: 20_000 }))
        const vacuumed = Effect.andThen(
          Effect.promise(() => execute(url, "VACUUM FULL ledger")),
          bytesOf(url)
        )
        const before = yield* vacuumed
        for (let i = 1n; i <= heads; i++) yield* ledger.setHead(above(i))
        assert.strictEqual((yield* reader.state).state.lastSynchedBlock, last.number + heads)
        // a vacuum keeps the versions of the row that a transaction in progress may read, such as
        // that of an automatic analysis
        yield* Effect.repeat(vacuumed, {
          until: (bytes) => bytes === before,
          schedule: Schedule.spaced(100)
        })
      })),
    120_000
  )

  it.live("that contradicts the last block is found by an audit", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* database
      yield* Effect.scoped(Effect.gen(function*() {
        const { ledger } = yield* openedAt(url)
        yield* Effect.forEach(records, ledger.applyRecord, { discard: true })
        yield* ledger.setHead(above(0n))
      }))
      const violations = Effect.map(
        Effect.scoped(Effect.flatMap(openDatabase(url), ({ writes }) => auditIn(writes))),
        ({ violations }) => violations.map(({ check, place }) => [check, place])
      )
      assert.deepStrictEqual(yield* violations, [])
      const change = (statement: string) => Effect.promise(() => execute(url, statement))
      yield* change("UPDATE ledger SET head_hash = decode(repeat('ab', 32), 'hex')")
      assert.deepStrictEqual(yield* violations, [["standing", "ledger, head_hash"]])
      yield* change("UPDATE ledger SET head_number = head_number + 1, head_timestamp_ms = 5")
      assert.deepStrictEqual(yield* violations, [["standing", "ledger, head_timestamp_ms"]])
    })))
})
