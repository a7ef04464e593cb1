import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BatchFeed } from "../../core/domain/mod.ts"
import { processBatch } from "../../core/use_cases/mod.ts"
import { batchOf, bob, l2Of, ledgerBefore } from "./_chain.ts"

const ledger = ledgerBefore(104n)
const forge = (parts: Partial<BatchFeed>) =>
  Result.getOrThrow(processBatch(ledger, { ...batchOf(3, parts), queue: [] }))

describe("processBatch", () => {
  it("a batch without transactions changes nothing", () => {
    assert.deepStrictEqual(forge({}), {
      l1UserEffects: [],
      createdAccounts: [],
      accountUpdates: [],
      exits: [],
      collectedFees: [],
      l2: []
    })
  })

  it("exits of one account are added up in one leaf, ascending by account", () => {
    const { exits } = forge({
      l2: [
        l2Of(257, 1, { amount: 3n }),
        l2Of(256, 1, { amount: 4n }),
        l2Of(257, 1, { amount: 5n, nonce: 1n })
      ]
    })
    assert.deepStrictEqual(exits, [{ accountIndex: 256, balance: 4n }, {
      accountIndex: 257,
      balance: 8n
    }])
  })

  it("an exit of amount 0 is allowed and makes no leaf", () => {
    const { accountUpdates, exits } = forge({ l2: [l2Of(257, 1, { amount: 0n })] })
    assert.deepStrictEqual(exits, [])
    assert.deepStrictEqual(accountUpdates, [{ index: 257, nonce: 1n, balance: 500n }])
  })

  it("fees are collected in the token of the sender and paid out at the end", () => {
    const { accountUpdates, collectedFees } = forge({
      feeAccounts: [258, 257],
      l2: [l2Of(256, 257, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[0, 50n], [1, 0n]])
    assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 850n }, {
      index: 257,
      nonce: 0n,
      balance: 650n
    }])
  })

  it("the first of several fee accounts of a token collects, also if one is repeated", () => {
    const { accountUpdates, collectedFees } = forge({
      feeAccounts: [257, 256, 257, 258, 258],
      l2: [l2Of(256, 1, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[0, 50n], [1, 0n]])
    assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 850n }, {
      index: 257,
      nonce: 0n,
      balance: 550n
    }])
    assert.deepStrictEqual(
      forge({ feeAccounts: Array<number>(64).fill(258) }).collectedFees,
      [[1, 0n]]
    )
  })

  it("a transfer of 0 does not look at its receiver, and takes the nonce", () => {
    // no account, another token, no destination, an index of no account
    for (const to of [9999, 258, 0, 77]) {
      const { accountUpdates, exits, l2 } = forge({ l2: [l2Of(256, to, { amount: 0n, fee: 126 })] })
      assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 1000n }])
      assert.deepStrictEqual(exits, [])
      assert.strictEqual(l2[0]?.receiver?.index ?? null, to === 258 ? 258 : null)
    }
  })

  it("the coordinator may create an account with key 0", () => {
    const { createdAccounts } = forge({
      l1Coordinator: [
        { address: bob.address, publicKey: "0".repeat(64), tokenId: 1, signature: "0x01" }
      ]
    })
    assert.deepStrictEqual(createdAccounts.map(({ index, publicKey }) => [index, publicKey]), [
      [260, "0".repeat(64)]
    ])
  })

  it("fees without a collecting account are burned", () => {
    const { accountUpdates, collectedFees } = forge({
      feeAccounts: [258],
      l2: [l2Of(256, 257, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[1, 0n]])
    assert.deepStrictEqual(accountUpdates.map(({ balance }) => balance), [850n, 600n])
  })

  it("a fee cannot be spent in the batch that earns it", () => {
    const l2 = [l2Of(256, 257, { amount: 100n, fee: 172 }), l2Of(257, 256, { amount: 601n })]
    const result = processBatch(ledger, { ...batchOf(3, { feeAccounts: [257], l2 }), queue: [] })
    assert.strictEqual(Result.isFailure(result) && result.failure.pointer, "/l2/1/amount")
  })

  it("a transfer to oneself pays the fee and increments the nonce", () => {
    const { accountUpdates } = forge({ l2: [l2Of(256, 256, { amount: 100n, fee: 172 })] })
    assert.deepStrictEqual(accountUpdates, [{ index: 256, nonce: 1n, balance: 950n }])
  })

  it("an account of the coordinator can receive and collect in the batch that creates it", () => {
    const { collectedFees, createdAccounts } = forge({
      l1Coordinator: [{ address: bob.address, publicKey: bob.key, tokenId: 0, signature: "0x01" }],
      feeAccounts: [260],
      l2: [l2Of(256, 260, { amount: 100n, fee: 172 })]
    })
    assert.deepStrictEqual(collectedFees, [[0, 50n]])
    assert.strictEqual(createdAccounts[0]?.balance, 150n)
  })

  it("an L2 transaction has its token, its nonce, its fee and its accounts", () => {
    const { l2: [transfer, exit] } = forge({
      l2: [l2Of(258, 259, { amount: 20n, fee: 172 }), l2Of(258, 1, { amount: 1n, nonce: 1n })]
    })
    assert.deepStrictEqual(
      [
        transfer?.sender.index,
        transfer?.receiver?.index,
        transfer?.tokenId,
        transfer?.nonce,
        transfer?.feeAmount
      ],
      [258, 259, 1, 0n, 10n]
    )
    assert.deepStrictEqual([exit?.sender.index, exit?.receiver, exit?.nonce, exit?.feeAmount], [
      258,
      null,
      1n,
      0n
    ])
  })

  it("only burned fees change the total balance", () => {
    const l2 = [
      l2Of(256, 257, { amount: 333n, fee: 140 }),
      l2Of(257, 256, { amount: 42n, fee: 60 }),
      l2Of(257, 1, { amount: 7n, fee: 126, nonce: 1n })
    ]
    const { accountUpdates, exits } = forge({ feeAccounts: [257], l2 })
    const after = accountUpdates.reduce((sum, { balance }) => sum + balance, 0n) +
      exits.reduce((sum, { balance }) => sum + balance, 0n)
    assert.strictEqual(after, 1500n)
  })
})
