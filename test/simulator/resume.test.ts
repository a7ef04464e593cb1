import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resume, simulate } from "../../app/simulator/mod.ts"
import { firstBlockOfSlot, slotOfBlock } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { memoryNode } from "../_memory_node.ts"

const newSimulation = (seed: number) =>
  simulate({ seed, users: 40, placeholderRoots: true, rollBackPeriodBlocks: 0 })

/**
 * Resumes a ledger with some records, and adds others. Returns the batches of winners, those that
 * another coordinator forged before the deadline of the slot, and the number of registrations.
 */
const resumedAfter = Effect.fnUntraced(function*(seed: number, records: number) {
  const ledger = yield* Ledger
  const reader = yield* LedgerReader
  const { genesis: { constants: { auction } }, next } = newSimulation(seed)
  for (let i = 0; i < records; i++) yield* ledger.applyRecord(next())
  const simulation = newSimulation(seed)
  yield* resume(simulation)
  let [registrations, ofWinners] = [0, 0]
  const ofOthers: Array<string> = []
  for (let i = 0; i < 24; i++) {
    const { state: { variables } } = yield* reader.state
    const record = simulation.next()
    yield* ledger.applyRecord(record)
    if (record.kind !== "block") continue
    const { batches = [], coordinators = [], number } = record.block
    registrations += coordinators.length
    const slotNum = slotOfBlock(auction, number)
    const { winner } = (yield* reader.find("slot", slotNum)).item!
    const forger = winner?.forgerAddr ?? variables.auction.bootCoordinator
    const isEarly =
      number - firstBlockOfSlot(auction, slotNum) < BigInt(variables.auction.slotDeadline)
    for (const { batchNum, forgerAddr } of batches) {
      if (winner !== null && forgerAddr === forger) ofWinners++
      if (isEarly && forgerAddr !== forger) ofOthers.push(`batch ${batchNum} in slot ${slotNum}`)
    }
  }
  return { registrations, ofWinners, ofOthers }
})

describe("A simulated network that resumes", () => {
  it.effect("lets only the winner of a slot forge before its deadline, also if the minimum bids have changed, and registers no coordinator again", () =>
    Effect.gen(function*() {
      let [registrations, ofWinners] = [0, 0]
      for (const [seed, records] of [[1, 100], [1, 108], [1, 116], [3, 60], [3, 80]] as const) {
        const resumed = yield* Effect.provide(
          resumedAfter(seed, records),
          memoryNode(newSimulation(seed))
        )
        assert.deepStrictEqual(resumed.ofOthers, [], `seed ${seed} after ${records} records`)
        registrations += resumed.registrations
        ofWinners += resumed.ofWinners
      }
      assert.isAbove(ofWinners, 40)
      // now and then a coordinator changes its forger
      assert.isBelow(registrations, 15)
    }))

  it.effect("forges the queues of the ledger, also if thousands of transactions followed them", () => {
    const options = {
      seed: 1,
      users: 40,
      queueSize: 1,
      transactionsPerBlock: 200,
      placeholderRoots: true,
      rollBackPeriodBlocks: 0
    }
    const { genesis, next } = simulate(options)
    return Effect.provide(
      Effect.gen(function*() {
        const ledger = yield* Ledger
        for (let i = 0; i < 60; i++) yield* ledger.applyRecord(next())
        const simulation = simulate(options)
        yield* resume(simulation)
        for (let i = 0; i < 5; i++) yield* ledger.applyRecord(simulation.next())
      }),
      memoryNode({ genesis })
    )
  })
})
