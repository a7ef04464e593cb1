/*
 * What a block changes, where neither the laws of ledgers nor a golden file shows it: the other
 * changes are those of the naive model.
 */
import { assert, describe, it } from "@effect/vitest"
import { priceUSDMax, valueUSD } from "../../core/domain/mod.ts"
import { ann, batchOf, block104, blockOf, bob, exitOf, l2Of, ledgerBefore } from "./_chain.ts"
import { addressOf, genesis } from "./_network.ts"

const exitOfBob = batchOf(4, {
  exitRoot: 66n,
  l2: [l2Of(257, 1, { nonce: 1n })],
  exits: [exitOf(66n, 257, 10n)]
})
const collection = { owner: bob.address, tokenId: 0 }

describe("the changes of a block:", () => {
  it("exits have the proof without padding", () => {
    const { batches: [batch] } = ledgerBefore(104n).apply(block104)
    assert.deepStrictEqual(batch!.exits[0]!.merkleProof.siblings, [7n, 0n, 8n])
  })

  it("a new token has the price of the block with its time, and no time without a price", () => {
    const block = blockOf(104n, {
      tokens: [2, 3, 4].map((id) => ({
        id,
        ethereumAddress: addressOf(String(id)),
        name: "",
        symbol: "A",
        decimals: 0
      })),
      prices: [[3, 5], [2, null], [0, 1]].map(([tokenId, priceUSD]) => ({
        tokenId: tokenId!,
        priceUSD: priceUSD!,
        timeMs: 9
      }))
    })
    assert.deepStrictEqual(
      ledgerBefore(104n).apply(block).tokens.map((token) => [
        token.id,
        token.priceUSD,
        token.priceTimeMs
      ]),
      [[2, null, null], [3, 5, 9], [4, null, null]]
    )
  })

  it("new verifiers hold although the block changes other variables of the rollup", () => {
    const verifiers = [{ maxTx: 400, nlevels: 40 }]
    const block = blockOf(104n, { verifiers, rollupVariables: genesis.variables.rollup })
    assert.deepStrictEqual(
      ledgerBefore(104n).apply(block).variables.rollup?.verifiers,
      verifiers
    )
  })

  it("a collection settles every request of earlier blocks with its owner and token, and an exit can be withdrawn in its own block", () => {
    const ledger = ledgerBefore(106n)
    const withdrawals = [{ batchNum: 4, accountIndex: 257, instant: false }]
    const of = <const Field>(batchNum: number, field: Field) => ({
      batchNum,
      accountIndex: 257,
      field
    })
    const requested = blockOf(106n, { batches: [exitOfBob], withdrawals })
    ledger.apply(requested)
    const collected = blockOf(107n, { delayedWithdrawals: [collection] })
    assert.deepStrictEqual(
      ledger.apply(collected).withdrawals,
      [of(3, "delayedWithdrawn"), of(4, "delayedWithdrawn")]
    )
    assert.deepStrictEqual(
      ledgerBefore(106n).apply({ ...requested, delayedWithdrawals: [collection] }).withdrawals,
      [of(3, "delayedWithdrawn"), of(4, "delayedWithdrawRequest")]
    )
    // a collection after the withdrawals of its block leaves those that were instant
    const withoutDelay = ledgerBefore(106n)
    const { withdrawalDelayer } = withoutDelay.variables
    withoutDelay.variables = {
      ...withoutDelay.variables,
      withdrawalDelayer: { ...withdrawalDelayer, withdrawalDelay: 0 }
    }
    const instantly = withdrawals.map((each) => ({ ...each, instant: true }))
    assert.deepStrictEqual(
      withoutDelay.apply({
        ...requested,
        withdrawals: instantly,
        delayedWithdrawals: [collection]
      }).withdrawals,
      [of(4, "instantWithdrawn"), of(3, "delayedWithdrawn")]
    )
  })

  it("a collection settles requests of its own block if the delay is 0, or as many as it names, and none twice", () => {
    const withdrawals = [256, 257].map((accountIndex) => ({
      batchNum: 3,
      accountIndex,
      instant: false
    }))
    const fieldsAfter = (
      withdrawalDelay: number,
      collections: ReadonlyArray<{ readonly afterWithdrawals?: number }>
    ) => {
      const ledger = ledgerBefore(105n)
      const { withdrawalDelayer } = ledger.variables
      const variables = { withdrawalDelayer: { ...withdrawalDelayer, withdrawalDelay } }
      ledger.variables = { ...ledger.variables, ...variables }
      const delayedWithdrawals = collections.map((parts) => ({
        owner: ann.address,
        tokenId: 0,
        ...parts
      }))
      const decision = ledger.decide(blockOf(105n, { withdrawals, delayedWithdrawals }))
      if (decision._tag === "Failure") return decision.failure.invariant
      return decision.success.kind === "store"
        ? decision.success.changes.withdrawals.map(({ field }) => field)
        : []
    }
    const [requested, collected] = ["delayedWithdrawRequest", "delayedWithdrawn"] as const
    const refused = "withdrawal-requested"
    const cases: ReadonlyArray<
      readonly [
        delay: number,
        collections: Parameters<typeof fieldsAfter>[1],
        expected: ReturnType<typeof fieldsAfter>
      ]
    > = [
      [0, [{}], [requested, requested, collected]],
      [1, [{}], refused],
      [1, [{ afterWithdrawals: 1 }], [requested, collected, requested]],
      [0, [{ afterWithdrawals: 0 }], refused],
      [0, [{ afterWithdrawals: 3 }], refused],
      // the first collection leaves nothing to the second one
      [0, [{}, {}], refused]
    ]
    for (const [delay, collections, expected] of cases) {
      assert.deepStrictEqual(fieldsAfter(delay, collections), expected)
    }
  })

  it("the greatest amount at the greatest price with the greatest fee has a finite value in dollars", () => {
    const prices = [{ tokenId: 1, priceUSD: priceUSDMax, timeMs: 0 }]
    const amount = (1n << 127n) / 10n ** 28n * 10n ** 28n
    const ledger = ledgerBefore(104n)
    ledger.tokens.set(1, { ...ledger.tokens.get(1)!, decimals: 0 })
    ledger.accounts.set(258, { ...ledger.accounts.get(258)!, balance: (1n << 192n) - 1n })
    const l2 = [l2Of(258, 259, { amount, fee: 192 })]
    const { batch, transactions: [row] } = ledger.apply(
      blockOf(104n, { prices, batches: [batchOf(3, { feeAccounts: [259], l2 })] })
    ).batches[0]!
    for (
      const value of [
        row!.historicUSD,
        row!.l2?.historicFeeUSD,
        batch.historicTotalCollectedFeesUSD
      ]
    ) {
      assert.isTrue(Number.isFinite(value) && value! > 1e40, String(value))
    }
  })
})

describe("a value in dollars", () => {
  const valueOf = (priceUSD: number, decimals: number, amount: bigint) =>
    valueUSD({ priceUSD, decimals }, amount)

  it("is the double nearest to the exact one", () => {
    assert.strictEqual(valueOf(2000, 18, 10n ** 18n), 2000)
    assert.strictEqual(valueOf(0.1, 0, 3n), 0.30000000000000004)
    assert.strictEqual(valueOf(1, 6, 123_456_789n), 123.456789)
    // 2^53 + 1 and 2^53 + 3 are ties, and go to the even neighbour
    assert.strictEqual(valueOf(1, 0, 2n ** 53n + 1n), 2 ** 53)
    assert.strictEqual(valueOf(1, 0, 2n ** 53n + 3n), 2 ** 53 + 4)
    assert.strictEqual(valueOf(1, 1, 10n * 2n ** 53n + 11n), 2 ** 53 + 2)
    assert.strictEqual(valueOf(2 ** -1074, 0, 3n), 3 * 2 ** -1074)
    assert.strictEqual(valueOf(2 ** -1074, 1, 25n), 2 * 2 ** -1074)
    assert.strictEqual(valueOf(2 ** -1074, 1, 4n), 0)
    assert.strictEqual(valueOf(2 ** -1022, 1, 15n), 1.5 * 2 ** -1022)
  })

  it("is null if it is not a finite number", () => {
    assert.isNull(valueOf(priceUSDMax, 0, 10n ** 400n))
  })
})
