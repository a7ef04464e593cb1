/*
 * The simulated network does only what the contracts allow. The test follows the feed with the naive
 * model and its own arithmetic, without the code of the simulator.
 */
import { assert, describe, it } from "@effect/vitest"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import type { BlockFeed } from "../../core/domain/mod.ts"
import { effectiveRecords, type Facts, replay } from "../laws/mod.ts"
import { advance } from "../laws/naive/mod.ts"

const simulation = simulate({
  seed: "plausible",
  users: 40,
  exitShare: 0.1,
  placeholderRoots: true,
  rollBackPeriodBlocks: 25
})
const { genesis } = simulation

/** The blocks that no rollback drops, each with the content of the ledger before and after it. */
function* steps(): Generator<{ block: BlockFeed; before: Facts; after: Facts }> {
  let before = replay(genesis, [], keccak256)
  for (const record of effectiveRecords(records)) {
    const after = advance(before, record, keccak256)
    if (record.kind === "block") yield { block: record.block, before, after }
    before = after
  }
}
const records = [...initialHistory(simulation, 3000)]
const all = [...steps()]

describe("The simulated network", () => {
  it("collects a delayed withdrawal only after the delay since the last request of its owner and token, and never in an emergency", () => {
    const lastRequestMs = new Map<string, number>()
    let collections = 0
    let waiting = 0
    for (const { after, before, block } of all) {
      const delayers = [before, after].map(({ variables }) => variables.withdrawalDelayer)
      const request = () => {
        for (const { accountIndex, batchNum, instant } of block.withdrawals ?? []) {
          const exit = before.exits.find((each) =>
            each.accountIndex === accountIndex && each.batchNum === batchNum
          )!
          if (!instant) lastRequestMs.set(`${exit.address} ${exit.tokenId}`, block.timestampMs)
        }
      }
      const delayMs = 1000 * Math.max(...delayers.map(({ withdrawalDelay }) => withdrawalDelay))
      if (delayMs === 0) request()
      for (const { owner, tokenId } of block.delayedWithdrawals ?? []) {
        collections++
        assert.isTrue(delayers.every(({ emergencyMode }) => !emergencyMode), `${block.number}`)
        const waitedMs = block.timestampMs - lastRequestMs.get(`${owner} ${tokenId}`)!
        assert.isAtLeast(waitedMs, delayMs, `block ${block.number}`)
        if (waitedMs > 0) waiting++
      }
      if (delayMs > 0) request()
    }
    assert.isAbove(collections, 20)
    assert.isAbove(waiting, 20)
  })

  it("takes one withdrawal from the first bucket whose ceiling is at least the value of an instant withdrawal, and none for a value of 0", () => {
    let taken = 0
    for (const { after, before, block } of all) {
      const buckets = (block.rollupVariables ?? before.variables.rollup).buckets.map((bucket) => ({
        ...bucket
      }))
      const expected: Array<
        BlockFeed["bucketUpdates"] extends ReadonlyArray<infer Update> | undefined ? Update : never
      > = []
      for (const { accountIndex, batchNum, instant } of block.withdrawals ?? []) {
        if (!instant) continue
        const { balance, tokenId } = before.exits.find((exit) =>
          exit.accountIndex === accountIndex && exit.batchNum === batchNum
        )!
        const { decimals, priceUSD } = after.tokens[tokenId]!
        const valueUSD = Number(balance) / 10 ** decimals * (priceUSD ?? 0)
        if (valueUSD === 0) continue
        const at = buckets.findIndex(({ ceilUSD }) => Number(ceilUSD) >= valueUSD)
        const bucket = buckets[at]!
        const periods = (block.number - bucket.blockStamp) / bucket.blockWithdrawalRate
        const filled = bucket.withdrawals + periods * (bucket.rateWithdrawals ?? 1n)
        const left = filled > bucket.maxWithdrawals ? bucket.maxWithdrawals : filled
        assert.isTrue(left > 0n, `block ${block.number}`)
        bucket.withdrawals = left - 1n
        bucket.blockStamp = block.number
        expected.push({ bucket: at, blockStamp: block.number, withdrawals: left - 1n })
        taken++
      }
      assert.deepStrictEqual(block.bucketUpdates ?? [], expected)
    }
    assert.isAbove(taken, 20)
  })

  it("bids for open slots only, at least as much as the contract requires", () => {
    let least = 0
    for (const { before, block } of all) {
      const { blocksPerSlot, genesisBlockNum } = genesis.constants.auction
      const sinceGenesis = Number(block.number - genesisBlockNum)
      const slot = Math.max(0, Math.floor(sinceGenesis / blocksPerSlot))
      const { closedAuctionSlots, defaultSlotSetBid, openAuctionSlots, outbidding } =
        before.variables.auction
      const best = new Map(before.bids.map(({ bidValue, slotNum }) => [slotNum, bidValue]))
      for (const { bidValue, slotNum } of block.bids ?? []) {
        assert.isAbove(slotNum, slot + closedAuctionSlots)
        assert.isAtMost(slotNum, slot + closedAuctionSlots + openAuctionSlots)
        const base = best.get(slotNum) ?? defaultSlotSetBid[slotNum % 6]!
        const minimum = base + base * BigInt(outbidding) / 10_000n
        assert.isTrue(bidValue >= minimum, `block ${block.number}, slot ${slotNum}`)
        if (bidValue === minimum) least++
        best.set(slotNum, bidValue)
      }
    }
    assert.isAbove(least, 5)
  })
})
