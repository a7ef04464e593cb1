import { assert, describe, it } from "@effect/vitest"
import {
  auctionClock,
  type BatchSums,
  feeSumUnits,
  feeWindowMs,
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
const none = Object.fromEntries(
  Object.entries(sums).map(([name, sum]) => [name, typeof sum === "bigint" ? 0n : 0])
) as unknown as BatchSums

describe("metrics", () => {
  /** Sums of batches, the age of the network, and the averages in the order of `names`. */
  const names = [
    "transactionsPerBatch",
    "batchFrequency",
    "transactionsPerSecond",
    "avgTransactionFee",
    "estimatedTimeToForgeL1"
  ] as const
  const day = metricsWindowMs
  // 0.1 + 0.2 + 0.3 paid for 3 transactions: doubles that are added round twice
  const feeUnits = [0.1, 0.2, 0.3].reduce((sum, each) => sum + feeSumUnits(each), 0n)
  const odd = { feeUnits, l2Transactions: 3, l1UserTransactions: 3, l1WaitMs: 1_001n }
  const rows: ReadonlyArray<
    readonly [what: string, of: object, ageMs: number, ReadonlyArray<number>]
  > = [
    [
      "are averages over the batches, the time between them and the age of a young network",
      {},
      40_000,
      [10, 20 / 3, 1, 0.2, 22.5]
    ],
    ["cover a day of an older one", {}, 10 * day, [10, 20 / 3, 40 / 86_400, 0.2, 22.5]],
    [
      "of one batch in a day have no frequency",
      { batches: 1, lastTimestampMs: 10_000 },
      day,
      [40, 0, 40 / 86_400, 0.2, 22.5]
    ],
    [
      "of two batches that are 600 seconds apart have the frequency 600",
      { batches: 2, firstTimestampMs: 0, lastTimestampMs: 600_000 },
      40_000,
      [20, 600, 1, 0.2, 22.5]
    ],
    [
      "are the doubles nearest to the quotients",
      { ...odd, firstTimestampMs: 0, lastTimestampMs: 4_001 },
      7_001,
      [10, 4_001 / 3_000, 40_000 / 7_001, 0.2, 1_001 / 3_000]
    ],
    ["have no fee without L2 transactions", { l2Transactions: 0 }, 40_000, [
      10,
      20 / 3,
      1,
      0,
      22.5
    ]],
    ...[0, 40_000, day].map((ageMs) =>
      ["are 0 if there is nothing to average", none, ageMs, [0, 0, 0, 0, 0]] as const
    )
  ]
  for (const [what, of, ageMs, averages] of rows) {
    it(`${what}, ${ageMs} ms old`, () =>
      assert.deepStrictEqual(metricsOf({ ...sums, ...of }, { ...counts, ageMs }), {
        ...Object.fromEntries(names.map((name, at) => [name, averages[at]])),
        ...counts
      } as never))
  }

  it("cover a day, and fees an hour", () => {
    assert.deepStrictEqual([metricsWindowMs, feeWindowMs], [86_400_000, 3_600_000])
  })
})

describe("the recommended fee", () => {
  const bounds = { minFeeUSD: 0.1, maxFeeUSD: 10 }
  const paid = (feesUSD: number, l2Transactions: number) => ({
    l2Transactions,
    feeUnits: feeSumUnits(feesUSD)
  })
  /** Fees that were paid, the rules, and the fees of a transfer, and with an account or an internal one. */
  const rows: ReadonlyArray<
    readonly [
      what: string,
      of: Parameters<typeof recommendedFeeOf>[0],
      rules: Parameters<typeof recommendedFeeOf>[1],
      fees: readonly [existing: number, created: number, internal: number]
    ]
  > = [
    ["is the average, and twice and two and a half times of it", paid(16, 8), bounds, [2, 5, 4]],
    // 24 L2 transactions that pay 3.25 each, among 40
    [
      "does not depend on L1 transactions, which pay no fee",
      { ...sums, ...paid(24 * 3.25, 24) },
      {},
      [3.25, 8.125, 6.5]
    ],
    ["stays within its bounds", paid(4.5, 1), bounds, [4.5, 10, 9]],
    ["is not above them", paid(99, 1), bounds, [10, 10, 10]],
    ["is not below them", paid(0.01, 1), bounds, [0.1, 0.1, 0.1]],
    ["may be small", paid(2 ** -40, 1), {}, [2 ** -40, 2.5 * 2 ** -40, 2 ** -39]],
    ...[paid(0, 0), paid(0, 7)].flatMap((hour) =>
      [
        ["is 0.01 if no fee was paid", hour, {}, [0.01, 0.025, 0.02]],
        ["is a setting if no fee was paid", hour, { recommendedFeeUSD: 3 }, [3, 7.5, 6]],
        // a lower fee would be refused
        [
          "is within the bounds if no fee was paid",
          hour,
          { ...bounds, recommendedFeeUSD: 0.06 },
          [0.1, 0.15, 0.12]
        ]
      ] as const
    )
  ]
  for (const [what, of, rules, [existingAccount, createAccount, createAccountInternal]] of rows) {
    it(`${what}: ${existingAccount}`, () =>
      assert.deepStrictEqual(recommendedFeeOf(of, rules), {
        existingAccount,
        createAccount,
        createAccountInternal
      }))
  }
})

describe("the next forgers", () => {
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
  it("has no value without a price, at a price of 0, and if it is 0", () => {
    assert.deepStrictEqual(
      [null, 0, 3].map((priceUSD) => valueUSD({ priceUSD, decimals: 2 }, priceUSD === 3 ? 0n : 5n)),
      [null, null, null]
    )
  })
})
