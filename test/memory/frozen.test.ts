import { assert, describe, it } from "@effect/vitest"
import { openMemoryLedger } from "../../adapters/memory/mod.ts"
import { listNames } from "../../core/contract/mod.ts"
import { applyBlock, genesis, newQueued, randomBlock } from "./_chain.ts"
import { readAll } from "./_naive.ts"
import { Random } from "./_random.ts"

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T

/** Returns the paths of mutable members, below those that are created for each answer. */
const mutable = (value: unknown, path: string): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const below = Object.entries(value).flatMap(([name, member]) =>
    mutable(member, `${path}/${name}`)
  )
  return Object.isFrozen(value) ? below : [path, ...below]
}

describe("an answer of the memory store", () => {
  const random = new Random(41)
  const ledger = openMemoryLedger({ genesis })
  for (let i = 0; i < 40; i++) applyBlock(ledger, (view) => randomBlock(view, random, 10))
  const { id } = newQueued(0, 0)

  it("contains no row that a host can change", () => {
    for (const name of listNames) {
      const items = readAll(ledger, name)
      assert.isAbove(items.length, 0, name)
      // the item itself may be created for the answer; its parts are stored
      const members = items.flatMap((item) => "itemId" in item ? [item] : Object.values(item))
      assert.deepStrictEqual(mutable(members, "").filter((path) => path !== ""), [], name)
    }
    const { state, stamp } = ledger.state()
    assert.deepStrictEqual(
      mutable([stamp, state.lastBatch, ...Object.values(state.variables)], "").filter((path) =>
        path !== ""
      ),
      []
    )
  })

  it("contains no queued transaction that a host can change", () => {
    const queued = { ...newQueued(1000, 0), id }
    const own = openMemoryLedger({ genesis })
    applyBlock(own, () => ({ queued: [queued] }))
    assert.deepStrictEqual(
      mutable([own.find("transaction", id).item!.transaction], "").filter((path) => path !== ""),
      []
    )
  })

  it("does not change if the host changes the genesis or the variables that it passed", () => {
    const passed = structuredClone(genesis) as Mutable<typeof genesis>
    const own = openMemoryLedger({ genesis: passed })
    const buckets = [{
      ceilUSD: 1n,
      blockStamp: 0n,
      withdrawals: 0n,
      blockWithdrawalRate: 1n,
      maxWithdrawals: 5n
    }]
    applyBlock(own, (view) => ({ variables: { rollup: { ...view.variables.rollup, buckets } } }))
    const before = structuredClone(own.state())
    passed.constants.auction.blocksPerSlot = 1
    passed.variables.auction.defaultSlotSetBid[0] = 7n
    passed.block.number = 5n
    buckets[0]!.withdrawals = 9n
    assert.deepStrictEqual(own.state(), before)
  })
})
