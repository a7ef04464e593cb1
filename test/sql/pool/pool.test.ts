import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openMemoryPool } from "../../../adapters/memory/mod.ts"
import type { PoolChange, PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { poolLaws, poolStoreLaws } from "../../laws/mod.ts"
import { emptyPool, poolDatabase, poolOf, subjectOf, unlimited } from "../_pool_subject.ts"
import { idOf, ownersOf, pendingExit } from "../../laws/pool/_pool_rows.ts"
import { rounds } from "../../rounds.ts"

const seed = process.env.SEED ?? "1"
const runs = Number(process.env.RUNS ?? 1)
const testDatabase = poolDatabase()

describe(`the pool over PostgreSQL (replay: SEED=${seed} npm test -- test/sql/pool/pool.test.ts)`, () => {
  for (const law of poolStoreLaws) {
    it.live(law.name, () => law.run(subjectOf(testDatabase.services, seed, 3 * runs)))
  }
  // `differential/pool.test.ts` also runs them over PostgreSQL, but one call at a time
  const isConcurrent = ({ name }: { readonly name: string }) => name.startsWith("concurrent")
  for (const law of rounds({ short: poolLaws.filter(isConcurrent), long: poolLaws })) {
    it.live(law.name, () => law.run(subjectOf(testDatabase.services, seed, runs)))
  }

  it.live("gives the same answers as the pool in memory, to the extremes of each field", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* emptyPool(testDatabase.services)
      const [memory, stored] = [openMemoryPool(), yield* poolOf(testDatabase.services)]
      const both = <A>(ask: (pool: PoolStore["Service"]) => Effect.Effect<A, StoreFailure>) =>
        Effect.gen(function*() {
          const answer = yield* ask(stored)
          assert.deepStrictEqual(answer, yield* ask(memory))
          return answer
        })
      const greatest = {
        fromAccountIndex: 2 ** 48 - 1,
        toAccountIndex: 2 ** 48 - 1,
        tokenId: 2 ** 32 - 1,
        amount: 34359738367n * 10n ** 31n,
        fee: 255,
        nonce: 2n ** 40n - 1n
      }
      const destination = { toAddress: `0x${"f".repeat(40)}`, toPublicKey: "fe".repeat(32) }
      const nothing = {
        fromAccountIndex: null,
        toAccountIndex: null,
        toAddress: null,
        toPublicKey: null,
        tokenId: null,
        amount: null,
        fee: null,
        nonce: null
      }
      const transactions = [
        pendingExit(1, {
          ...greatest,
          ...destination,
          type: "TransferToBJJ",
          signature: "aB".repeat(64),
          request: { ...greatest, ...destination, nonce: 2n ** 64n - 1n }
        }),
        pendingExit(2, { toAccountIndex: null, amount: 0n, fee: 0, request: nothing }),
        pendingExit(3, {
          timestampMs: 0,
          request: { ...nothing, fee: 0, nonce: 0n, tokenId: 0, amount: 0n, toAccountIndex: 0 }
        })
      ]
      for (const transaction of transactions) {
        yield* both((pool) => pool.addTransaction(transaction, ownersOf(1, transaction), unlimited))
      }
      const ids = transactions.map(({ id }) => id)
      yield* both((pool) =>
        Effect.map(
          pool.pooled([...ids, idOf(9), ...ids]),
          (rows) => rows.map((row) => ({ ...row, arrival: row.arrival - rows[0]!.arrival }))
        )
      )
      yield* both((pool) =>
        Effect.map(
          pool.pendingBelow([{ index: 256, nonce: 1n }, { index: 2 ** 48 - 1, nonce: 2n ** 41n }, {
            index: 256,
            nonce: 1n
          }]),
          (rows) => rows.map(({ transaction }) => transaction)
        )
      )
      const reason = 'Half \ud800, \0, \\u0000, "quoted" and {braces}, é 😀'
      yield* both((pool) =>
        pool.skip(
          [1, 2].map((batchNum) => ({
            id: idOf(2),
            code: 12,
            reason: `${reason} ${batchNum}`,
            batchNum,
            atMs: 5
          })),
          []
        )
      )
      assert.strictEqual(
        (yield* both((pool) => pool.skippedTransaction(idOf(2))))?.reason,
        `${reason} 2`
      )
      // the second of two changes of one transaction begins where the first ended
      const changes: ReadonlyArray<PoolChange> = [
        {
          id: idOf(1),
          from: "pend",
          fromBatchNum: null,
          to: "fing",
          batchNum: 2 ** 32 - 1,
          reason
        },
        { id: idOf(2), from: "pend", fromBatchNum: null, to: "pend", batchNum: null, reason: "" },
        { id: idOf(1), from: "fing", fromBatchNum: 2 ** 32 - 1, to: "invl", batchNum: 0, reason },
        { id: idOf(1), from: "fing", fromBatchNum: 2 ** 32 - 1, to: null, batchNum: null, reason },
        { id: idOf(3), from: "pend", fromBatchNum: null, to: "fged", batchNum: 1, reason },
        { id: idOf(3), from: "fged", fromBatchNum: 1, to: null, batchNum: null, reason },
        { id: idOf(3), from: "fged", fromBatchNum: 1, to: null, batchNum: null, reason }
      ]
      assert.deepStrictEqual(
        yield* both((pool) => pool.change(changes, 7)),
        [1, 2, 1, 3, 3].map(idOf)
      )
      for (const id of ids) {
        yield* both((pool) => pool.transitions(id))
        yield* both((pool) => pool.transaction(id))
        yield* both((pool) => pool.skippedTransaction(id))
      }
      yield* both((pool) => pool.counts)
      for (const index of [256, 2 ** 48 - 1]) yield* both((pool) => pool.pendingOf(index))
      for (
        const to of [{ batchNum: 7, ethereumBlockHash: "0x7" }, {
          batchNum: 7,
          ethereumBlockHash: "0x8"
        }, null]
      ) {
        yield* both((pool) =>
          Effect.flatMap(
            pool.reconciledBatchesBelow({ batchNum: 9, limit: 1 }),
            ([from]) => pool.reconcile({ from: from ?? null, to, changes: [] }, 8)
          )
        )
        yield* both((pool) => pool.reconciledBatchesBelow({ batchNum: 9, limit: 9 }))
      }
      // an empty call has an empty result
      assert.deepStrictEqual(yield* both((pool) => pool.change([], 9)), [])
      assert.deepStrictEqual(yield* both((pool) => pool.pooled([])), [])
      assert.deepStrictEqual(yield* both((pool) => pool.pendingBelow([])), [])
      yield* both((pool) => pool.skip([], []))
    })))
})
