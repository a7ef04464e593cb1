import { assert, describe, it } from "@effect/vitest"
import { PoolRows } from "../../adapters/memory/pool/_pool_rows.ts"
import { poolStates, unfinishedStates } from "../../core/domain/mod.ts"
import type { Pooled, PoolFilters } from "../../core/ports/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { ownersOf, poolTransactionOf } from "../laws/pool/_pool_rows.ts"

/** Forged transactions, as many as a node keeps, and two that are not finished. */
const forgedCount = 3000

const random = new SeededRandom(1)
const rows = new PoolRows()
let forgedReads = 0
for (let arrival = 0; arrival < forgedCount + 2; arrival++) {
  const state = arrival < forgedCount ? "fged" : arrival === forgedCount ? "fing" : "pend"
  const transaction = {
    ...poolTransactionOf(arrival, random, 0),
    fromAccountIndex: 256,
    state,
    batchNum: state === "pend" ? null : 1
  } as const
  const pooled: Pooled = { transaction, ...ownersOf(1, transaction), sinceMs: 0, arrival }
  rows.add(
    state !== "fged" ? pooled : {
      ...pooled,
      get transaction() {
        forgedReads++
        return transaction
      }
    }
  )
}

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
      const found = rows.list({ ...filters, states: unfinishedStates })
      assert.deepStrictEqual(found.map(({ pooled }) => pooled.arrival), [3000, 3001])
      assert.strictEqual(forgedReads, 0)
      // the same list of all states reads them
      const all = rows.list({ ...filters, states: poolStates })
      assert.strictEqual(all.length, forgedCount + 2)
      assert.isAbove(forgedReads, 0)
    })
  }
})
