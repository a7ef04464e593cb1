import { assert, describe, it } from "@effect/vitest"
import { openMemoryLedger } from "../../adapters/memory/mod.ts"
import { listNames } from "../../core/contract/mod.ts"
import { applyBlock, genesis, newQueued, randomBlock } from "./_chain.ts"
import { allItems } from "./_naive.ts"
import { Random } from "./_random.ts"

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T

/** Returns the paths of all objects that are not frozen. */
const mutablePaths = (value: unknown, path: string): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const below = Object.entries(value).flatMap(([name, member]) =>
    mutablePaths(member, `${path}/${name}`)
  )
  return Object.isFrozen(value) ? below : [path, ...below]
}

describe("the answers of the memory store", () => {
  const random = new Random(41)
  const ledger = openMemoryLedger({ genesis })
  for (let i = 0; i < 40; i++) applyBlock(ledger, (view) => randomBlock(view, random, 10))
  const { id } = newQueued(0, 0)

  it("contain no row that a caller can change", () => {
    for (const name of listNames) {
      const items = allItems(ledger, name)
      assert.isAbove(items.length, 0, name)
      // an item may be a new object, but its members are stored rows
      const members = items.flatMap((item) => "itemId" in item ? [item] : Object.values(item))
      assert.deepStrictEqual(mutablePaths(members, "").filter((path) => path !== ""), [], name)
    }
    const { state, snapshotId } = ledger.state()
    assert.deepStrictEqual(
      mutablePaths([snapshotId, state.lastBatch, ...Object.values(state.variables)], "").filter((
        path
      ) => path !== ""),
      []
    )
  })

  it("contain no queued transaction that a caller can change", () => {
    const queued = { ...newQueued(1000, 0), id }
    const own = openMemoryLedger({ genesis })
    applyBlock(own, () => ({ queued: [queued] }))
    assert.deepStrictEqual(
      mutablePaths([own.find("transaction", id).item!.transaction], "").filter((path) =>
        path !== ""
      ),
      []
    )
  })

  it("do not change if the caller changes the genesis or the variables that it passed", () => {
    const callersGenesis = structuredClone(genesis) as Mutable<typeof genesis>
    const own = openMemoryLedger({ genesis: callersGenesis })
    const buckets = [{
      ceilUSD: 1n,
      blockStamp: 0n,
      withdrawals: 0n,
      blockWithdrawalRate: 1n,
      maxWithdrawals: 5n
    }]
    applyBlock(own, (view) => ({ variables: { rollup: { ...view.variables.rollup, buckets } } }))
    const before = structuredClone(own.state())
    callersGenesis.constants.auction.blocksPerSlot = 1
    callersGenesis.variables.auction.defaultSlotSetBid[0] = 7n
    callersGenesis.block.number = 5n
    buckets[0]!.withdrawals = 9n
    assert.deepStrictEqual(own.state(), before)
  })
})
