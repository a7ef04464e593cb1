import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  type MemoryPoolStore,
  memoryReader,
  openMemoryLedger,
  openMemoryPool
} from "../../adapters/memory/mod.ts"
import { dumpStores, noKeys } from "../journal/_store_dump.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import {
  authorizationOf,
  changeOf,
  idOf,
  keyOf,
  noteOf,
  ownersOf,
  poolGroupOf,
  poolTransactionOf
} from "../laws/pool/_pool_rows.ts"
import { replayOf, rounds } from "../rounds.ts"
import { genesis } from "../use_cases/_network.ts"

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)
const transactionsMax = 30
const limits = { pendingMax: 1000, pendingPerAccountMax: 1000 }
const reader = memoryReader(openMemoryLedger({ genesis }))

const keys = noKeys()
for (let number = 0; number < transactionsMax; number++) {
  keys.transactions.add(idOf(number))
  keys.addresses.add(authorizationOf(number).address)
}

/** Returns everything that a pool holds. */
const contentOf = (pool: MemoryPoolStore): string =>
  Effect.runSync(dumpStores({ reader, store: pool }, keys))

/** Returns a random write. */
const writeOf = (pool: MemoryPoolStore, random: SeededRandom, atMs: number) => {
  const number = random.below(transactionsMax)
  const id = idOf(number)
  switch (random.below(7)) {
    case 6: {
      const numbers = [0, 1, 2].map((more) => (number + more) % transactionsMax)
      const group = poolGroupOf(numbers, random, atMs)
      return pool.addGroup(
        group.map((transaction) => ({ transaction, ...ownersOf(number) })),
        limits
      )
    }
    case 0:
    case 1:
      return pool.addTransaction(poolTransactionOf(number, random, atMs), ownersOf(number), limits)
    case 2:
      return pool.addAuthorization({ ...authorizationOf(number), timestampMs: atMs })
    case 3:
      return pool.skip(
        [noteOf(id, random, atMs), noteOf(idOf(number + 1), random, atMs)],
        [idOf(number + 2)]
      )
    case 4:
      return Effect.flatMap(
        pool.transaction(id),
        (transaction) =>
          pool.change([changeOf(id, random, transaction), changeOf(id, random, transaction)], atMs)
      )
    default:
      return Effect.gen(function*() {
        const [last = null] = yield* pool.reconciledBatchesBelow({ batchNum: 1e9, limit: 1 })
        const batchNum = Math.max(0, (last?.batchNum ?? 0) + random.of([-2, -1, 1, 1, 1]))
        const to = batchNum === 0 ? null : { batchNum, ethereumBlockHash: keyOf(random.below(9)) }
        const changes = [changeOf(id, random, yield* pool.transaction(id))]
        return yield* pool.reconcile({ from: last, to, changes }, atMs)
      })
  }
}

describe(`undone writes of a pool (replay: ${replayOf(seed, "test/memory/pool_undo.test.ts")})`, () => {
  it("leave no trace, whatever was written, and later writes have the same results", () => {
    const random = new SeededRandom(seed)
    for (let life = 0; life < rounds({ short: 4, long: 200 }); life++) {
      const pool = openMemoryPool()
      for (let step = 0; step < 40; step++) {
        const before = contentOf(pool)
        const writes = Array.from({ length: 1 + random.below(4) }, (_, index) => {
          const writeSeed = `${seed} ${life} ${step} ${index}`
          return () => Effect.runSync(writeOf(pool, new SeededRandom(writeSeed), step * 10 + index))
        })
        const undone = writes.map((write) => pool.undoable(write))
        const after = contentOf(pool)
        for (const [, undo] of undone.toReversed()) undo()
        assert.strictEqual(contentOf(pool), before)
        const results = writes.map((write) => write())
        assert.deepStrictEqual(results, undone.map(([result]) => result))
        assert.strictEqual(contentOf(pool), after)
      }
    }
  })
})
