import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memoryNode } from "../_memory_node.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { writeFeedLine } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { type FreshDatabase, freshDatabase } from "../postgres/mod.ts"
import { ledgerContent } from "./_ledger_content.ts"
import { network, startProcess, until } from "./_process.ts"

/*
 * Sources of blocks in two processes over one database: each is replaced by the other one and is
 * the writer again afterwards.
 */

describe("A process that becomes the writer again", () => {
  let directory: string
  const databases: Array<FreshDatabase> = []
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "sources-"))
  })
  afterAll(async () => {
    rmSync(directory, { recursive: true })
    for (const database of databases) await database.remove()
  })

  const newDatabase = Effect.promise(async () => {
    const database = await freshDatabase()
    databases.push(database)
    return database.url
  })

  const epochIn = (url: string) =>
    Effect.promise(async () =>
      (await execute(url, "SELECT epoch::int FROM writer"))[0]!.epoch as number
    )
  /** Lets its term end as if it had sent no heartbeat, until another one is the writer. */
  const loseLease = Effect.fnUntraced(function*(url: string) {
    const before = yield* epochIn(url)
    while ((yield* epochIn(url)) === before) {
      yield* Effect.promise(() => execute(url, "UPDATE writer SET expires_at = clock_timestamp()"))
      yield* Effect.sleep(20)
    }
  })

  it.live("continues a simulated network after the records of the other one", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* newDatabase
      const [one, other] = [yield* startProcess(url, network), yield* startProcess(url, network)]
      yield* until(Effect.map(one.reader.snapshotId, ({ batchNum }) => (batchNum ?? 0) > 5))
      yield* loseLease(url)
      const atLoss = yield* one.block
      yield* until(Effect.map(other.block, (block) => block > atLoss + 3n))
      const { items } = yield* other.reader.list("batches", { filters: {}, limit: 2000 })
      yield* other.end
      const left = yield* one.block
      yield* until(Effect.map(one.block, (block) => block > left + 3n))
      const { items: remaining } = yield* one.reader.list("batches", { filters: {}, limit: 2000 })
      // its next record before it lost the ledger would have rolled back the records of the other
      // process
      assert.deepStrictEqual(remaining.slice(0, items.length), [...items])
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("applies the records of a feed that the other one has not applied", () =>
    Effect.scoped(Effect.gen(function*() {
      const simulation = simulate({
        seed: "feed",
        users: 20,
        tokens: 3,
        transactionsPerBlock: 2,
        rollBackPeriodBlocks: 7,
        placeholderRoots: true
      })
      const { genesis } = simulation
      const records = [...initialHistory(simulation, 1200)]
      const feed = join(directory, "feed.ndjson")
      writeFileSync(
        feed,
        [{ kind: "genesis", genesis } as const, ...records].map((record) =>
          `${writeFeedLine(record)}\n`
        ).join("")
      )
      const expected = yield* Effect.gen(function*() {
        const ledger = yield* Ledger
        for (const record of records) yield* ledger.applyRecord(record)
        return {
          ledgerContent: yield* ledgerContent,
          snapshotId: yield* (yield* LedgerReader).snapshotId
        }
      }).pipe(Effect.provide(memoryNode({ genesis })))

      const url = yield* newDatabase
      const settings = { ...network, feed }
      const [one, other] = [yield* startProcess(url, settings), yield* startProcess(url, settings)]
      const start = genesis.block.number
      yield* until(Effect.map(one.block, (block) => block > start + 10n))
      yield* loseLease(url)
      const atLoss = yield* other.block
      yield* until(Effect.map(other.block, (block) => block > atLoss + 10n))
      yield* other.end
      const left = yield* one.block
      assert.isBelow(Number(left), Number(expected.snapshotId.ethereumBlockNum))
      yield* until(Effect.map(one.block, (block) => block === expected.snapshotId.ethereumBlockNum))
      assert.deepStrictEqual(
        yield* Effect.provideService(ledgerContent, LedgerReader, one.reader),
        expected.ledgerContent
      )
    })).pipe(Effect.provide(Logger.layer([]))))
})
