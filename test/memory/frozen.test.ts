import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  type MemoryLedger,
  openAuditedLedger,
  openMemoryLedger
} from "../../adapters/memory/mod.ts"
import { type FiltersOf, limitMax, listNames } from "../../core/contract/mod.ts"
import { networkOf, optionsOf } from "../properties/_networks.ts"
import { genesis } from "../use_cases/_network.ts"
import { applyBlock } from "./_chain.ts"

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T

/** Returns the paths of all objects below a value that are not frozen. */
const mutablePaths = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const below = Object.entries(value).flatMap(([name, member]) =>
    mutablePaths(member, `${path}/${name}`)
  )
  return Object.isFrozen(value) || path === "" ? below : [path, ...below]
}

/** Returns the first items of a list, with queued transactions. */
const itemsOf = (ledger: MemoryLedger, name: typeof listNames[number]) => {
  const filters = name === "transactions" ? { includePending: true } : {}
  return Result.getOrThrow(
    ledger.list(name, { filters: filters as FiltersOf<typeof name>, limit: limitMax })
  ).items
}

describe("the answers of the memory store", () => {
  const network = networkOf(optionsOf("1"), 200)
  const { applyRecord, ledger } = openAuditedLedger(network.genesis, keccak256)
  for (const record of network.records) applyRecord(record)

  for (const name of listNames) {
    it(`contain no row of ${name} that a caller can change`, () => {
      const items = itemsOf(ledger, name)
      assert.isAbove(items.length, 0)
      // an item may be a new object, but its members are stored rows
      const members = items.flatMap((item) => "itemId" in item ? [item] : Object.values(item))
      assert.deepStrictEqual(mutablePaths(members), [])
      if (name === "transactions") {
        assert.isTrue(items.some((item) => "transaction" in item && item.transaction.l1 !== null))
      }
    })
  }

  it("contain no state that a caller can change", () => {
    const { snapshotId, state } = ledger.state()
    assert.deepStrictEqual(
      mutablePaths([snapshotId, state.lastBatch, ...Object.values(state.variables)]),
      []
    )
  })

  it("do not change if the caller changes the genesis or the variables that it passed", () => {
    const callersGenesis = structuredClone(genesis) as Mutable<typeof genesis>
    const own = openMemoryLedger({ genesis: callersGenesis })
    const buckets = structuredClone(genesis.variables.rollup.buckets) as Array<
      Mutable<typeof genesis.variables.rollup.buckets[number]>
    >
    applyBlock(own, (prior) => ({ variables: { rollup: { ...prior.variables.rollup, buckets } } }))
    const before = structuredClone(own.state())
    callersGenesis.constants.auction.blocksPerSlot = 1
    callersGenesis.variables.auction.defaultSlotSetBid[0] = 7n
    callersGenesis.block.number = 5n
    buckets[0]!.withdrawals = 9n
    assert.deepStrictEqual(own.state(), before)
  })
})
