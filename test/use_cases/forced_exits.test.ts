import { assert, describe, it } from "@effect/vitest"
import type { L1UserFeed } from "../../core/domain/mod.ts"
import { ann, batchOf, block103, blockOf, bob, exitOf, l1Of, ledgerBefore } from "./_chain.ts"

/** Queues transactions in block 103 and forges them in batch 3 of block 104. */
const forgedAfter = (
  queued: ReadonlyArray<Partial<L1UserFeed>>,
  amounts: ReadonlyArray<bigint>,
  leaf: readonly [accountIndex: number, balance: bigint] | null
) => {
  const ledger = ledgerBefore(103n)
  const { queued: rows } = ledger.apply({
    ...block103,
    l1UserTransactions: queued.map((parts, position) =>
      l1Of(2, position, { toAccountIndex: 1, ...parts })
    )
  })
  const { batches: [batch] } = ledger.apply(blockOf(104n, {
    batches: [batchOf(3, {
      forgeL1TransactionsNum: 2,
      l1UserEffects: amounts.map((effectiveAmount) => ({
        effectiveAmount,
        effectiveDepositAmount: 0n
      })),
      ...leaf === null ? {} : { exitRoot: 55n, exits: [exitOf(55n, ...leaf)] }
    })]
  }))
  return { ledger, queued: rows, batch: batch! }
}
const ofBob = { fromAddress: bob.address }

describe("a forced exit", () => {
  for (
    const [what, queued, amounts, leaf] of [
      ["of more than the balance makes a leaf of 0", [{ amount: 1001n }], [0n], 0n],
      ["of another owner makes a leaf of 0", [{ ...ofBob, amount: 1n }], [0n], 0n],
      ["of another token makes a leaf of 0", [{ tokenId: 1, amount: 1n }], [0n], 0n],
      [
        "and another one without effect make one leaf of 0",
        [{ amount: 1001n }, { ...ofBob, amount: 1n }],
        [0n, 0n],
        0n
      ],
      [
        "without effect adds 0 to the leaf of one with effect",
        [{ amount: 1001n }, { amount: 100n }],
        [0n, 100n],
        100n
      ],
      ["of another owner and of 0 makes no leaf", [{ ...ofBob, amount: 0n }], [0n], null]
    ] as const
  ) {
    it(what, () => {
      const { batch } = forgedAfter(queued, amounts, leaf === null ? null : [256, leaf])
      assert.deepStrictEqual(
        batch.exits.map(({ accountIndex, balance, tokenId }) => [accountIndex, balance, tokenId]),
        leaf === null ? [] : [[256, leaf, 0]]
      )
      assert.deepStrictEqual(
        batch.forged.map(({ amountSuccess }) => amountSuccess),
        queued.map(({ amount }, position) => amount === amounts[position])
      )
      assert.deepStrictEqual(
        batch.accountUpdates.map(({ balance }) => balance),
        amounts.filter((amount) => amount > 0n).map((amount) => 1000n - amount)
      )
    })
  }

  it("without effect can be withdrawn, once", () => {
    const { ledger } = forgedAfter([{ amount: 1001n }], [0n], [256, 0n])
    const withdrawals = [{ batchNum: 3, accountIndex: 256, instant: true }]
    assert.deepStrictEqual(ledger.apply(blockOf(105n, { withdrawals })).withdrawals, [
      { batchNum: 3, accountIndex: 256, field: "instantWithdrawn" }
    ])
    const again = ledger.decide(blockOf(106n, { withdrawals }))
    assert.strictEqual(again._tag === "Failure" ? again.failure.invariant : null, "exit-open")
  })
})

describe("a creation with an exit", () => {
  it("creates the account and exits nothing: a leaf of 0 if it declares an amount, otherwise none", () => {
    const creation = { fromAccountIndex: 0, fromPublicKey: ann.key }
    const { batch, queued } = forgedAfter(
      [{ ...creation, amount: 7n }, { ...creation, amount: 0n }],
      [0n, 0n],
      [260, 0n]
    )
    assert.deepStrictEqual(
      queued.map(({ amount, fromAccountIndex, toAccountIndex, type }) => [
        type,
        fromAccountIndex,
        toAccountIndex,
        amount
      ]),
      [["CreateAccountDeposit", null, 1, 7n], ["CreateAccountDeposit", null, 1, 0n]]
    )
    assert.deepStrictEqual(batch.accounts.map(({ balance, index }) => [index, balance]), [
      [260, 0n],
      [261, 0n]
    ])
    assert.deepStrictEqual(
      batch.exits.map(({ accountIndex, balance }) => [accountIndex, balance]),
      [[260, 0n]]
    )
    assert.deepStrictEqual(
      batch.forged.map(({ amountSuccess, depositAmountSuccess }) => [
        amountSuccess,
        depositAmountSuccess
      ]),
      [[false, true], [true, true]]
    )
  })
})
