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
  valueUSD
} from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"

const counts = { totalAccounts: 7, totalPublicKeys: 5 }
const totals = { ...counts, ageMs: 40_000 }
const sums: BatchSums = {
  batches: 4,
  transactions: 40,
  l2Transactions: 30,
  firstTimestampMs: 10_000,
  lastTimestampMs: 30_000,
  feeUnits: feeSumUnits(6),
  l1UserTransactions: 4,
  l1WaitMs: 90_000n
}

describe("metrics", () => {
  it("are averages over the batches, the time between them and the age of a young network", () => {
    assert.deepStrictEqual(metricsOf(sums, totals), {
      transactionsPerBatch: 10,
      batchFrequency: 20 / 3,
      transactionsPerSecond: 1,
      avgTransactionFee: 0.2,
      estimatedTimeToForgeL1: 22.5,
      ...counts
    })
  })

  it("cover a day, and fees an hour", () => {
    assert.deepStrictEqual([metricsWindowMs, feeWindowMs], [86_400_000, 3_600_000])
    const { transactionsPerSecond } = metricsOf(sums, { ...totals, ageMs: 10 * metricsWindowMs })
    assert.strictEqual(transactionsPerSecond, 40 / 86_400)
  })

  it("of one batch in a day are its transactions, these per second of the day, and no frequency", () => {
    const one = { ...sums, batches: 1, lastTimestampMs: 10_000 }
    assert.deepStrictEqual(metricsOf(one, { ...totals, ageMs: metricsWindowMs }), {
      transactionsPerBatch: 40,
      batchFrequency: 0,
      transactionsPerSecond: 40 / 86_400,
      avgTransactionFee: 0.2,
      estimatedTimeToForgeL1: 22.5,
      ...counts
    })
  })

  it("of two batches that are 600 seconds apart have the frequency 600", () => {
    const two = { ...sums, batches: 2, firstTimestampMs: 0, lastTimestampMs: 600_000 }
    const { batchFrequency, transactionsPerBatch } = metricsOf(two, totals)
    assert.deepStrictEqual([batchFrequency, transactionsPerBatch], [600, 20])
  })

  it("are the doubles nearest to the quotients", () => {
    // 0.1 + 0.2 + 0.3 paid for 3 transactions: doubles that are added round twice
    const feeUnits = [0.1, 0.2, 0.3].reduce((sum, each) => sum + feeSumUnits(each), 0n)
    const times = { firstTimestampMs: 0, lastTimestampMs: 4_001 }
    const fees = { ...sums, feeUnits, l2Transactions: 3, l1UserTransactions: 3, l1WaitMs: 1_001n }
    const metrics = metricsOf({ ...fees, ...times }, { ...totals, ageMs: 7_001 })
    assert.deepStrictEqual(metrics, {
      transactionsPerBatch: 10,
      batchFrequency: 4_001 / 3_000,
      transactionsPerSecond: 40_000 / 7_001,
      avgTransactionFee: 0.2,
      estimatedTimeToForgeL1: 1_001 / 3_000,
      ...counts
    })
    assert.notStrictEqual((0.1 + 0.2 + 0.3) / 3, 0.2)
    assert.notStrictEqual(4_001 / 1000 / 3, 4_001 / 3_000)
  })

  it("are 0 if there is nothing to average", () => {
    const none = {
      batches: 0,
      transactions: 0,
      l2Transactions: 0,
      firstTimestampMs: 0,
      lastTimestampMs: 0,
      feeUnits: 0n,
      l1UserTransactions: 0,
      l1WaitMs: 0n
    }
    for (const ageMs of [0, 40_000, metricsWindowMs]) {
      assert.deepStrictEqual(metricsOf(none, { ...totals, ageMs }), {
        transactionsPerBatch: 0,
        batchFrequency: 0,
        transactionsPerSecond: 0,
        avgTransactionFee: 0,
        estimatedTimeToForgeL1: 0,
        ...counts
      })
    }
    assert.strictEqual(metricsOf({ ...sums, l2Transactions: 0 }, totals).avgTransactionFee, 0)
  })
})

describe("the recommended fee", () => {
  const bounds = { minFeeUSD: 0.1, maxFeeUSD: 10 }
  const paid = (feesUSD: number, l2Transactions: number) => ({
    l2Transactions,
    feeUnits: feeSumUnits(feesUSD)
  })

  it("is the average of an L2 transaction, twice and two and a half times of it if an account is created", () => {
    assert.deepStrictEqual(recommendedFeeOf(paid(16, 8), bounds), {
      existingAccount: 2,
      createAccount: 5,
      createAccountInternal: 4
    })
  })

  it("does not depend on L1 transactions, which pay no fee", () => {
    // 24 transactions that pay 3.25 each, and 5 of L1
    const hour = { ...sums, transactions: 29, ...paid(24 * 3.25, 24) }
    assert.strictEqual(recommendedFeeOf(hour, {}).existingAccount, 3.25)
  })

  it("stays within its bounds", () => {
    assert.deepStrictEqual(recommendedFeeOf(paid(4.5, 1), bounds), {
      existingAccount: 4.5,
      createAccount: 10,
      createAccountInternal: 9
    })
    assert.strictEqual(recommendedFeeOf(paid(99, 1), bounds).existingAccount, 10)
    assert.strictEqual(recommendedFeeOf(paid(0.01, 1), bounds).existingAccount, 0.1)
  })

  it("is computed from a setting if no fee was paid, 0.01 by default", () => {
    for (const hour of [paid(0, 0), paid(0, 7)]) {
      assert.deepStrictEqual(recommendedFeeOf(hour, {}), {
        existingAccount: 0.01,
        createAccount: 0.025,
        createAccountInternal: 0.02
      })
      assert.deepStrictEqual(recommendedFeeOf(hour, { recommendedFeeUSD: 3 }), {
        existingAccount: 3,
        createAccount: 7.5,
        createAccountInternal: 6
      })
      // a lower fee would be refused
      assert.deepStrictEqual(recommendedFeeOf(hour, { ...bounds, recommendedFeeUSD: 0.06 }), {
        existingAccount: 0.1,
        createAccount: 0.15,
        createAccountInternal: 0.12
      })
    }
    assert.strictEqual(recommendedFeeOf(paid(2 ** -40, 1), {}).existingAccount, 2 ** -40)
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

  it("have no time before 1970", () => {
    const { auction } = genesis.constants
    const clock = auctionClock(auction, genesisVariables(genesis).auction, 125n)
    const early = { number: 125n, hash: "", timestampMs: 60_000 }
    const [first] = nextForgersOf(clock, early, () => undefined as never)
    assert.strictEqual(first!.period.fromTimestampMs, 0)
    assert.strictEqual(first!.period.toTimestampMs, 120_000)
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
  it("are exact, except for fees below 4e-9", () => {
    for (const feeUSD of [0, 2 ** -80, 0.1, 1, 123.456, 2 ** 53 - 1, 2 ** 53, 1e40]) {
      const one = { ...sums, feeUnits: feeSumUnits(feeUSD), l2Transactions: 1 }
      assert.strictEqual(metricsOf(one, totals).avgTransactionFee, feeUSD)
    }
    assert.deepStrictEqual([
      feeSumUnits(2 ** -80),
      feeSumUnits(2 ** -82),
      feeSumUnits(1),
      feeSumUnits(2 ** 53)
    ], [1n, 0n, 1n << 80n, 1n << 133n])
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
