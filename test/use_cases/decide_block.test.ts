import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BlockFeed } from "../../core/domain/mod.ts"
import { invariantNames } from "../../core/use_cases/mod.ts"
import { brokenBatches, brokenExits, brokenTransactions } from "./_broken_batches.ts"
import {
  brokenAuctions,
  brokenLinks,
  brokenQueues,
  brokenTokens,
  brokenWithdrawals
} from "./_broken_blocks.ts"
import { block104, chain, l2Of, ledgerBefore } from "./_chain.ts"
import { genesis } from "./_network.ts"

const broken = [
  ...brokenLinks,
  ...brokenTokens,
  ...brokenAuctions,
  ...brokenQueues,
  ...brokenBatches,
  ...brokenTransactions,
  ...brokenExits,
  ...brokenWithdrawals
]

describe("decideBlock", () => {
  it("a valid chain is accepted block by block", () => {
    const ledger = ledgerBefore(101n)
    for (const block of chain) ledger.apply(block)
    assert.strictEqual(ledger.lastBlock.number, 106n)
  })

  it("a stored block changes nothing, the genesis block included", () => {
    const ledger = ledgerBefore(106n)
    for (const block of chain.slice(0, -1)) {
      assert.deepStrictEqual(ledger.decide(block), Result.succeed({ kind: "alreadyStored" }))
    }
    const again = { ...genesis.block, parentHash: genesis.block.hash }
    assert.deepStrictEqual(ledger.decide(again), Result.succeed({ kind: "alreadyStored" }))
  })

  for (const { block, fact, prepare, refusal: [invariant, pointer, value], standsFor } of broken) {
    it(fact, () => {
      const ledger = ledgerBefore(standsFor ?? block.number)
      prepare?.(ledger)
      const decision = ledger.decide(block)
      if (Result.isSuccess(decision)) return assert.fail("the block was accepted")
      const violated = decision.failure
      assert.deepStrictEqual([violated.invariant, violated.pointer, violated.value], [
        invariant,
        pointer,
        value
      ])
      assert.match(violated.message, /^Block -?\d+: [a-z][^\n]+[^.]$/u)
      assert.isTrue(violated.message.endsWith(`(invariant ${invariant})`))
      assert.include(violated.message, `"${value}" at ${pointer}: expected ${violated.expected}; `)
    })
  }

  it("the message names the block, the invalid value, the reason and what to do", () => {
    const block = {
      ...block104,
      batches: [{ ...block104.batches![0]!, l2: [l2Of(256, 257, { nonce: 3n })] }]
    }
    const decision = ledgerBefore(104n).decide(block)
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.message,
      'Block 104: nonce "3" at /batches/0/l2/0/nonce: expected 0, the nonce of account 256; '
        + "process the batch from the state of the ledger, or roll back to the last batch with equal states (invariant nonce)"
    )
  })

  it("a value that is not a block is refused", () => {
    for (const rubbish of [null, undefined, 7, [], {}, { number: "7" }]) {
      const decision = ledgerBefore(104n).decide(rubbish as unknown as BlockFeed)
      assert.strictEqual(Result.isFailure(decision) && decision.failure.invariant, "shape")
    }
  })

  it("every invariant is broken by one of the blocks above", () => {
    const names = new Set(broken.map(({ refusal }) => refusal[0]))
    assert.deepStrictEqual(invariantNames.filter((name) => !names.has(name)), [
      // broken in domain/head.test.ts
      "head-number",
      "chain-head",
      "block-above-head",
      // verified apart from the decision
      "state-root",
      "roll-back-block",
      "genesis"
    ])
  })
})
