import { assert, describe, it } from "@effect/vitest"
import {
  auctionClock,
  type BatchSums,
  feeSumUnits,
  feeWindowMs,
  l1TransactionType,
  l2TransactionType,
  genesisVariables,
  metricsOf,
  metricsWindowMs,
  nextForgersOf,
  recommendedFeeOf,
  usdOfFeeSum,
  valueUSD
} from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"

const totals = { totalAccounts: 7, totalPublicKeys: 5 }
const sums: BatchSums = {
  batches: 4,
  transactions: 40,
  l2Transactions: 30,
  firstTimestampMs: 10_000,
  lastTimestampMs: 30_000,
  feesUSD: 6,
  l1UserTransactions: 4,
  l1WaitMs: 90_000n
}

describe("metrics", () => {
  it("are averages over the batches and the time between the first and the last of them", () => {
    assert.deepStrictEqual(metricsOf(sums, totals), {
      transactionsPerBatch: 10,
      batchFrequency: 5,
      transactionsPerSecond: 2,
      avgTransactionFee: 0.2,
      estimatedTimeToForgeL1: 22.5,
      ...totals
    })
  })

  it("cover a day, and fees an hour", () => {
    assert.deepStrictEqual([metricsWindowMs, feeWindowMs], [86_400_000, 3_600_000])
  })

  it("use a second as the least duration, and for one batch give no average of batches", () => {
    const one = { ...sums, batches: 1, lastTimestampMs: 10_000 }
    assert.deepStrictEqual(metricsOf(one, totals), {
      transactionsPerBatch: 0,
      batchFrequency: 1,
      transactionsPerSecond: 40,
      avgTransactionFee: 0.2,
      estimatedTimeToForgeL1: 22.5,
      ...totals
    })
    assert.strictEqual(
      metricsOf({ ...sums, batches: 2, lastTimestampMs: 10_500 }, totals).transactionsPerBatch,
      20
    )
  })

  it("are 0 if there is nothing to average", () => {
    const none = {
      batches: 0,
      transactions: 0,
      l2Transactions: 0,
      firstTimestampMs: 0,
      lastTimestampMs: 0,
      feesUSD: 0,
      l1UserTransactions: 0,
      l1WaitMs: 0n
    }
    assert.deepStrictEqual(metricsOf(none, totals), {
      transactionsPerBatch: 0,
      batchFrequency: 0,
      transactionsPerSecond: 0,
      avgTransactionFee: 0,
      estimatedTimeToForgeL1: 0,
      ...totals
    })
    assert.strictEqual(metricsOf({ ...sums, l2Transactions: 0 }, totals).avgTransactionFee, 0)
  })
})

describe("the recommended fee", () => {
  const bounds = { minFeeUSD: 0.1, maxFeeUSD: 10 }

  it("is the average of a transaction, twice and two and a half times of it if an account is created", () => {
    assert.deepStrictEqual(recommendedFeeOf({ transactions: 8, feesUSD: 16 }, bounds), {
      existingAccount: 2,
      createAccount: 5,
      createAccountInternal: 4
    })
  })

  it("stays within its bounds, also without transactions", () => {
    assert.deepStrictEqual(recommendedFeeOf({ transactions: 0, feesUSD: 0 }, bounds), {
      existingAccount: 0.1,
      createAccount: 0.1,
      createAccountInternal: 0.1
    })
    assert.deepStrictEqual(recommendedFeeOf({ transactions: 1, feesUSD: 4.5 }, bounds), {
      existingAccount: 4.5,
      createAccount: 10,
      createAccountInternal: 9
    })
    assert.strictEqual(
      recommendedFeeOf({ transactions: 1, feesUSD: 99 }, bounds).existingAccount,
      10
    )
  })
})

describe("the next forgers", () => {
  it("are those of the current slot and of all closed ones, with blocks and estimated times", () => {
    const clock = auctionClock(genesis.constants.auction, genesisVariables(genesis).auction, 125n)
    const coordinator = {
      itemId: 1,
      bidderAddr: "0x1",
      forgerAddr: "0x2",
      url: "",
      ethereumBlockNum: 1n
    }
    const forgers = nextForgersOf(
      clock,
      { number: 125n, hash: "", timestampMs: 1_000_000 },
      (slotNum) => ({ ...coordinator, itemId: slotNum })
    )
    assert.deepStrictEqual(
      forgers.map(({ coordinator: { itemId }, period: { slotNum } }) => [itemId, slotNum]),
      [[2, 2], [3, 3], [4, 4]]
    )
    assert.deepStrictEqual(forgers[1]?.period, {
      slotNum: 3,
      fromBlock: 130n,
      toBlock: 139n,
      fromTimestampMs: 1_075_000,
      toTimestampMs: 1_210_000
    })
    assert.strictEqual(forgers[0]?.period.fromTimestampMs, 925_000)
  })

  it("have no time after the year 9999", () => {
    const clock = auctionClock(
      genesis.constants.auction,
      genesisVariables(genesis).auction,
      1n << 63n
    )
    const far = nextForgersOf({ ...clock, currentSlot: 2 ** 31 }, {
      number: 125n,
      hash: "",
      timestampMs: 0
    }, () => undefined as never)
    assert.strictEqual(
      new Date(far[0]!.period.toTimestampMs).toISOString(),
      "9999-12-31T23:59:59.999Z"
    )
  })
})

describe("sums of fees", () => {
  it("are exact below 2^53 dollars and whole dollars from there on", () => {
    for (const feeUSD of [0, 2 ** -80, 0.1, 1, 123.456, 2 ** 53 - 1, 2 ** 53, 1e40]) {
      assert.strictEqual(usdOfFeeSum(feeSumUnits(feeUSD)), feeUSD)
    }
    assert.deepStrictEqual([
      feeSumUnits(2 ** -80),
      feeSumUnits(2 ** -82),
      feeSumUnits(1),
      feeSumUnits(2 ** 53)
    ], [1n, 0n, 1n << 80n, 1n << 133n])
    assert.strictEqual(usdOfFeeSum((1n << 133n) + (1n << 80n) - 1n), 2 ** 53)
  })
})

describe("an amount", () => {
  it("has the value of its share of a whole token", () => {
    assert.strictEqual(valueUSD({ priceUSD: 3, decimals: 2 }, 50n), 3 / 100 * 50)
  })

  it("has no value without a price, at a price of 0, and if it is 0", () => {
    assert.deepStrictEqual(
      [null, 0, 3].map((priceUSD) => valueUSD({ priceUSD, decimals: 2 }, priceUSD === 3 ? 0n : 5n)),
      [null, null, null]
    )
  })
})

describe("the type of a transaction", () => {
  it("follows from sender, destination and deposit", () => {
    const types = [[0, 0, 5n], [0, 256, 5n], [256, 0, 5n], [256, 1, 0n], [256, 257, 0n], [
      256,
      257,
      5n
    ]] as const
    assert.deepStrictEqual(
      types.map(([from, to, deposit]) => l1TransactionType(from, to, deposit)),
      [
        "CreateAccountDeposit",
        "CreateAccountDepositTransfer",
        "Deposit",
        "ForceExit",
        "ForceTransfer",
        "DepositTransfer"
      ]
    )
    assert.deepStrictEqual([1, 256].map(l2TransactionType), ["Exit", "Transfer"])
  })
})
