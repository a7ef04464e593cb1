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
import { block104, blockOf, chain, l2Of, ledgerBefore } from "./_chain.ts"
import { genesis, hashOf } from "./_network.ts"

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

  it("a block may leave out empty blocks before it, if it names the last stored block", () => {
    const ledger = ledgerBefore(103n)
    const after = blockOf(1_000_103n, { previous: { number: 102n, hash: hashOf(102n) } })
    assert.deepStrictEqual(ledger.apply(after).block, {
      number: 1_000_103n,
      hash: after.hash,
      timestampMs: after.timestampMs
    })
    assert.deepStrictEqual(ledger.decide(after), Result.succeed({ kind: "alreadyStored" }))
    // no gap: the previous block is the parent
    const next = blockOf(1_000_104n, { previous: { number: 1_000_103n, hash: after.hash } })
    ledger.apply(next)
    assert.deepStrictEqual(
      ledger.decide({ ...next, hash: hashOf(7n) }),
      ledger.decide({ ...blockOf(1_000_104n), hash: hashOf(7n) })
    )
  })

  it("the violation of a block in a gap names the blocks around it", () => {
    const ledger = ledgerBefore(103n)
    ledger.apply(blockOf(1_000_103n, { previous: { number: 102n, hash: hashOf(102n) } }))
    const decision = ledger.decide(blockOf(500n))
    assert.strictEqual(
      Result.isFailure(decision) && decision.failure.message,
      'Block 500: block number "500" at /number: expected a block outside the gap between 102 and 1000103, whose blocks the feed left out as empty; '
        + "if the block is not empty, roll back to the block before the gap and send it (invariant block-gap)"
    )
  })

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
