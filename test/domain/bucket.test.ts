import { assert, describe, it } from "@effect/vitest"
import { type Bucket, withdrawalsLeft } from "../../core/domain/mod.ts"

const bucket: Bucket = {
  ceilUSD: 100n,
  blockStamp: 1000n,
  withdrawals: 2n,
  blockWithdrawalRate: 10n,
  rateWithdrawals: 3n,
  maxWithdrawals: 9n
}
const leftAt = (parts: Partial<Bucket>, ...blocks: ReadonlyArray<bigint>) =>
  blocks.map((block) => withdrawalsLeft({ ...bucket, ...parts }, block))

describe("the withdrawals that a bucket allows", () => {
  it("grow by its rate after each full period, up to its maximum", () => {
    assert.deepStrictEqual(
      leftAt({}, 1000n, 1009n, 1010n, 1019n, 1020n, 1029n, 1030n, 9999n),
      [2n, 2n, 5n, 5n, 8n, 8n, 9n, 9n]
    )
  })

  it("grow by one if no rate is given, and not at all at a rate of 0", () => {
    const { rateWithdrawals: _, ...single } = bucket
    assert.deepStrictEqual([1009n, 1010n, 1020n].map((at) => withdrawalsLeft(single, at)), [
      2n,
      3n,
      4n
    ])
    assert.deepStrictEqual(leftAt({ rateWithdrawals: 0n }, 9999n), [2n])
    assert.deepStrictEqual(leftAt({ blockWithdrawalRate: 0n }, 9999n), [2n])
  })

  it("are never above the maximum, and do not shrink before the block of the last change", () => {
    assert.deepStrictEqual(leftAt({ withdrawals: 12n }, 1000n), [9n])
    assert.deepStrictEqual(leftAt({ maxWithdrawals: 0n }, 1000n, 9999n), [0n, 0n])
    assert.deepStrictEqual(leftAt({}, 0n, 999n), [2n, 2n])
  })

  it("are exact for the greatest values of the feed", () => {
    const max = 2n ** 64n - 1n
    const greatest = { withdrawals: max, rateWithdrawals: max, maxWithdrawals: max }
    assert.deepStrictEqual(leftAt({ ...greatest, blockStamp: 0n, blockWithdrawalRate: 1n }, max), [
      max
    ])
  })
})
