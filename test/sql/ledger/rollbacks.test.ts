/* The values after each batch, and the rows of rollbacks, in the tables of a database. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { batchRow, queryOf, rollBackRow, selectRows } from "../../../adapters/sql/entities/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import type { BlockFeed } from "../../../core/domain/mod.ts"
import { emptyLedgers } from "../_empty_ledgers.ts"

const scope = Effect.runSync(Scope.make())
const openEmptyLedger = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const seed = 3
const batches = queryOf(batchRow, "batch AS r ORDER BY batch_num")
const rollBacks = queryOf(rollBackRow, "rollback AS r ORDER BY serial")

describe(`a ledger in PostgreSQL (simulation with seed ${seed})`, () => {
  it.live("stores the values before and after each change of an account, across rollbacks", () =>
    Effect.gen(function*() {
      const { genesis, next } = simulate({ seed, placeholderRoots: true })
      const { database: { writes }, ledger } = yield* (yield* openEmptyLedger)(genesis)
      for (let i = 0; i < 120; i++) yield* ledger.applyRecord(next())
      const after = new Map<number, string>()
      let changes = 0
      for (const row of yield* selectRows(writes, batches)) {
        for (const [i, index] of row.changedAccounts.entries()) {
          const before = i < row.noncesBefore.length
            ? `${row.noncesBefore[i]} ${row.balancesBefore[i]}`
            : undefined
          assert.strictEqual(before, after.get(index), `batch ${row.batch.batchNum}, ${index}`)
          after.set(index, `${row.nonces[i]} ${row.balances[i]}`)
          changes++
        }
      }
      const accounts = yield* writes.unsafe<
        { readonly account_index: bigint; readonly nonce: bigint; readonly balance: string }
      >("SELECT account_index, nonce, balance FROM account")
      assert.deepStrictEqual(
        after,
        new Map(
          accounts.map((row) => [
            Number(row.account_index),
            `${row.nonce} ${row.balance}`
          ]).toSorted(([a], [b]) => Number(a) - Number(b)) as Iterable<[number, string]>
        )
      )
      assert.isAbove(changes, accounts.length)
    }).pipe(Effect.scoped))

  it.live("has a row for each rollback that removed a block, with serials without gaps", () =>
    Effect.gen(function*() {
      const { genesis, next } = simulate({ seed, rollBackPeriodBlocks: 0, placeholderRoots: true })
      const { database: { writes }, ledger, reader } = yield* (yield* openEmptyLedger)(genesis)
      const { number } = genesis.block
      const blocks: Array<BlockFeed> = []
      while (blocks.length < 12) {
        const record = next()
        if (record.kind === "block") blocks.push(record.block)
        yield* ledger.applyRecord(record)
      }
      const startMs = Date.now()
      const first = yield* ledger.rollBack(number + 8n)
      yield* ledger.rollBack(number + 8n) // removes nothing
      const second = yield* ledger.rollBack(number)
      const rows = yield* selectRows(writes, rollBacks)
      const referenceOf = (i: number) => {
        const { hash, number } = i === 0 ? genesis.block : blocks[i - 1]!
        return { number, hash }
      }
      assert.deepStrictEqual(rows, [
        {
          serial: 1,
          version: first.snapshotId.version,
          lastBlock: referenceOf(8),
          removedBlock: referenceOf(12),
          blocks: 4,
          batches: first.batches,
          timeMs: rows[0]!.timeMs
        },
        {
          serial: 2,
          version: second.snapshotId.version,
          lastBlock: referenceOf(0),
          removedBlock: referenceOf(8),
          blocks: 8,
          batches: second.batches,
          timeMs: rows[1]!.timeMs
        }
      ])
      assert.isAbove(second.batches, 0)
      assert.isTrue(rows.every(({ timeMs }) => timeMs >= startMs && timeMs <= Date.now()))
      assert.strictEqual((yield* reader.snapshotId).version, second.snapshotId.version)
    }).pipe(Effect.scoped))
})
