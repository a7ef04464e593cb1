import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { invariantNames } from "../../core/use_cases/mod.ts"
import { brokenBatches, brokenExits, brokenTransactions } from "./_broken_batches.ts"
import { brokenAuctions, brokenLinks, brokenQueues, brokenTokens, brokenWithdrawals } from "./_broken_blocks.ts"
import { chain, ledgerBefore } from "./_chain.ts"
import { genesis } from "./_network.ts"

const broken = [
  ...brokenLinks, ...brokenTokens, ...brokenAuctions, ...brokenQueues, ...brokenBatches, ...brokenTransactions, ...brokenExits,
  ...brokenWithdrawals
]

describe("decideBlock", () => {
  it("a valid chain is accepted block by block", () => {
    const ledger = ledgerBefore(101n)
    for (const block of chain) ledger.apply(block)
    assert.strictEqual(ledger.lastBlock.number, 106n)
  })

  it("a block that is stored already changes nothing, the genesis block included", () => {
    const ledger = ledgerBefore(106n)
    for (const block of chain.slice(0, -1)) {
      assert.deepStrictEqual(ledger.decide(block), Result.succeed({ kind: "alreadyStored" }))
    }
    const again = { ...genesis.block, parentHash: genesis.block.hash }
    assert.deepStrictEqual(ledger.decide(again), Result.succeed({ kind: "alreadyStored" }))
  })

  for (const { block, fact, prepare, refusal: [invariant, place, value], standsFor } of broken) {
    it(fact, () => {
      const ledger = ledgerBefore(standsFor ?? block.number)
      prepare?.(ledger)
      const decision = ledger.decide(block)
      if (Result.isSuccess(decision)) return assert.fail("the block was accepted")
      const violated = decision.failure
      assert.deepStrictEqual([violated.invariant, violated.place, violated.value], [invariant, place, value])
      assert.match(violated.message, /^[A-Z][^\n]+[^.]$/u)
      assert.include(violated.message, `"${value}" at ${place}: expected ${violated.expected}; `)
    })
  }

  it("every invariant that a block can break is broken above", () => {
    const names = new Set(broken.map(({ refusal }) => refusal[0]))
    assert.deepStrictEqual(invariantNames.filter((name) => !names.has(name)), ["roll-back-block", "genesis"])
  })
})
