import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryPool } from "../../adapters/memory/pool/_memory_pool.ts"
import { poolReads } from "../../adapters/memory/pool/_reads.ts"
import { poolStates, unfinishedStates } from "../../core/domain/mod.ts"
import type { Pooled, PoolFilters } from "../../core/ports/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { ownersOf, poolTransactionOf } from "../laws/pool/_pool_rows.ts"

/** Forged transactions, as many as a node keeps, and two that are not finished. */
const forgedCount = 3000

const random = new SeededRandom(1)
const pool = new MemoryPool()
let [forgedReads, arrivalReads] = [0, 0]
for (let arrival = 0; arrival < forgedCount + 2; arrival++) {
  const state = arrival < forgedCount ? "fged" : arrival === forgedCount ? "fing" : "pend"
  const transaction = {
    ...poolTransactionOf(arrival, random, 0),
    fromAccountIndex: 256,
    state,
    batchNum: state === "pend" ? null : 1
  } as const
  const pooled: Pooled = { transaction, ...ownersOf(1, transaction), sinceMs: 0, arrival }
  pool.rows.add(
    state !== "fged" ? pooled : {
      ...pooled,
      get transaction() {
        forgedReads++
        return transaction
      },
      get arrival() {
        arrivalReads++
        return arrival
      }
    }
  )
}

const listed = (filters: PoolFilters) =>
  Effect.runSync(
    poolReads(pool).list({ filters, fromArrival: null, order: "ASC", limit: forgedCount + 2 })
  ).items

describe("the list of the pool in memory", () => {
  const { sender } = ownersOf(1)
  const lists: ReadonlyArray<PoolFilters> = [
    {},
    { party: { accounts: [256] } },
    { from: { accounts: [256] } },
    { party: { address: sender.address } },
    { from: { publicKey: sender.publicKey } }
  ]
  for (const filters of lists) {
    it(`reads no finished transaction to find the others with ${JSON.stringify(filters)}`, () => {
      forgedReads = 0
      const found = listed({ ...filters, states: unfinishedStates })
      assert.deepStrictEqual(found.map(({ pooled }) => pooled.arrival), [3000, 3001])
      assert.strictEqual(forgedReads, 0)
      // the same list of all states reads them
      const all = listed({ ...filters, states: poolStates })
      assert.strictEqual(all.length, forgedCount + 2)
      assert.isAbove(forgedReads, 0)
    })
  }

  for (const order of ["ASC", "DESC"] as const) {
    for (const fromArrival of [null, 1500]) {
      it(`reads few transactions for a page of all, ${order} from ${fromArrival}`, () => {
        forgedReads = arrivalReads = 0
        const page = Effect.runSync(
          poolReads(pool).list({ filters: {}, fromArrival, order, limit: 20 })
        )
        // the binary searches, the page, its neighbors and its order
        assert.isAtMost(forgedReads + arrivalReads, 400)
        const first = fromArrival ?? (order === "ASC" ? 0 : forgedCount + 1)
        assert.deepStrictEqual(
          page.items.map(({ pooled }) => pooled.arrival),
          Array.from({ length: 20 }, (_, i) => order === "ASC" ? first + i : first - i)
        )
        assert.deepStrictEqual(page.counts, {
          pendingItems: (order === "ASC" ? forgedCount + 2 - first : first + 1) - 20,
          totalItems: forgedCount + 2,
          firstItem: 1,
          lastItem: forgedCount + 2
        })
      })
    }
  }
})
