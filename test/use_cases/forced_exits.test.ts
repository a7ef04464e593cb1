import { assert, describe, it } from "@effect/vitest"
import {
  ann,
  batchOf,
  block103,
  block104,
  blockOf,
  bob,
  exitOf,
  l1Of,
  ledgerBefore
} from "./_chain.ts"

const forced = (position: number, amount: bigint, by = ann.address, tokenId = 0) =>
  l1Of(2, position, { fromAddress: by, toAccountIndex: 1, amount, tokenId })
const none = { effectiveAmount: 0n, effectiveDepositAmount: 0n }

/** Queues the transactions of queue 2 in block 103 and forges them in batch 3 of block 104. */
const forgedAfter = (
  queued: ReadonlyArray<ReturnType<typeof l1Of>>,
  batch: Parameters<typeof batchOf>[1]
) => {
  const ledger = ledgerBefore(103n)
  ledger.apply({ ...block103, l1UserTransactions: queued })
  return ledger.apply(
    blockOf(104n, { batches: [batchOf(3, { forgeL1TransactionsNum: 2, ...batch })] })
  )
}

describe("a forced exit without effect", () => {
  const cases = {
    "of more than the balance": [forced(0, 1001n)],
    "of another owner": [forced(0, 1n, bob.address)],
    "of another token": [forced(0, 1n, ann.address, 1)],
    "and others of its account": [forced(0, 1001n), forced(1, 1n, bob.address)]
  }
  for (const [name, queued] of Object.entries(cases)) {
    it(`${name} makes a leaf of 0`, () => {
      const { batches } = forgedAfter(queued, {
        l1UserEffects: queued.map(() => none),
        exitRoot: 55n,
        exits: [exitOf(55n, 256, 0n)]
      })
      assert.deepStrictEqual(
        batches[0]!.exits.map(({ accountIndex, balance, tokenId }) => [
          accountIndex,
          balance,
          tokenId
        ]),
        [[256, 0n, 0]]
      )
      assert.deepStrictEqual(batches[0]!.accountUpdates, [])
      assert.isTrue(batches[0]!.forged.every(({ amountSuccess }) => !amountSuccess))
    })
  }

  it("adds 0 to the leaf of an exit with effect", () => {
    const queued = [forced(0, 1001n), forced(1, 100n)]
    const { batches } = forgedAfter(queued, {
      l1UserEffects: [none, { effectiveAmount: 100n, effectiveDepositAmount: 0n }],
      exitRoot: 55n,
      exits: [exitOf(55n, 256, 100n)]
    })
    assert.deepStrictEqual(batches[0]!.exits.map(({ balance }) => balance), [100n])
  })

  it("makes no leaf if its declared amount is 0", () => {
    const { batches } = forgedAfter([forced(0, 0n, bob.address)], { l1UserEffects: [none] })
    assert.deepStrictEqual(batches[0]!.exits, [])
  })

  it("can be withdrawn, once", () => {
    const ledger = ledgerBefore(103n)
    ledger.apply({ ...block103, l1UserTransactions: [forced(0, 1001n)] })
    ledger.apply({
      ...block104,
      batches: [batchOf(3, {
        forgeL1TransactionsNum: 2,
        l1UserEffects: [none],
        exitRoot: 55n,
        exits: [exitOf(55n, 256, 0n)]
      })]
    })
    const withdrawals = [{ batchNum: 3, accountIndex: 256, instant: true }]
    assert.deepStrictEqual(ledger.apply(blockOf(105n, { withdrawals })).withdrawals, [
      { batchNum: 3, accountIndex: 256, field: "instantWithdrawn" }
    ])
    const again = ledger.decide(blockOf(106n, { withdrawals }))
    assert.strictEqual(again._tag === "Failure" ? again.failure.invariant : null, "exit-open")
  })
})

describe("a creation with an exit", () => {
  const creation = (position: number, amount: bigint) =>
    l1Of(2, position, {
      fromAccountIndex: 0,
      fromPublicKey: ann.key,
      toAccountIndex: 1,
      amount
    })

  it("is queued as a creation with a deposit of 0 and its declared amount", () => {
    const { queued } = ledgerBefore(104n).apply(
      blockOf(104n, { l1UserTransactions: [creation(1, 7n)] })
    )
    assert.deepStrictEqual(
      queued.map(({ amount, fromAccountIndex, toAccountIndex, type }) => [
        type,
        fromAccountIndex,
        toAccountIndex,
        amount
      ]),
      [["CreateAccountDeposit", null, 1, 7n]]
    )
  })

  it("creates the account and exits nothing: a leaf of 0 if it declares an amount, otherwise none", () => {
    const { batches } = forgedAfter([creation(0, 7n), creation(1, 0n)], {
      l1UserEffects: [none, none],
      exitRoot: 55n,
      exits: [exitOf(55n, 260, 0n)]
    })
    const [batch] = batches
    assert.deepStrictEqual(batch!.accounts.map(({ balance, index }) => [index, balance]), [
      [260, 0n],
      [261, 0n]
    ])
    assert.deepStrictEqual(
      batch!.exits.map(({ accountIndex, balance }) => [accountIndex, balance]),
      [
        [260, 0n]
      ]
    )
    assert.deepStrictEqual(
      batch!.forged.map(({ amountSuccess, depositAmountSuccess }) => [
        amountSuccess,
        depositAmountSuccess
      ]),
      [[false, true], [true, true]]
    )
  })
})
