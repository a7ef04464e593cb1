import { assert, describe, it } from "@effect/vitest"
import { type Exit, feeUnits, feeUSD, isPendingWithdraw, localName } from "../../core/domain/mod.ts"
import { feeFactor } from "../../core/encoding/mod.ts"

describe("an exit", () => {
  it("is pending until it was withdrawn instantly or collected; a request changes nothing", () => {
    const exit = (
      instantWithdrawn: bigint | null,
      delayedWithdrawRequest: bigint | null,
      delayedWithdrawn: bigint | null
    ) => ({ instantWithdrawn, delayedWithdrawRequest, delayedWithdrawn }) as Exit
    const exits = [
      exit(null, null, null),
      exit(null, 5n, null),
      exit(7n, null, null),
      exit(null, 5n, 7n)
    ]
    assert.deepStrictEqual(exits.map(isPendingWithdraw), [true, true, false, false])
  })
})

describe("names of members", () => {
  it("contain the prefix of the network at the beginning of a word, and nowhere else", () => {
    const names = [
      "zkEthereumAddress",
      "toZkEthereumAddress",
      "zk",
      "Zk",
      "zkey",
      "toZkey",
      "azkE",
      "amount"
    ]
    assert.deepStrictEqual(names.map((name) => localName({ prefix: "hez" }, name)), [
      "hezEthereumAddress",
      "toHezEthereumAddress",
      "zk",
      "Zk",
      "zkey",
      "toZkey",
      "azkE",
      "amount"
    ])
    assert.deepStrictEqual(names.map((name) => localName({ prefix: "zk" }, name)), names)
  })
})

describe("the fee of a posted transaction", () => {
  it("is in units and in dollars, and null if it cannot be computed or the token has no price", () => {
    assert.deepStrictEqual([
      feeUnits({ amount: 1000n, fee: 126 }),
      feeUnits({ amount: 1n << 200n, fee: 255 })
    ], [101n, 0n])
    assert.strictEqual(
      feeUSD({ amount: 1000n, fee: 126 }, { priceUSD: 2, decimals: 1 }),
      200 * feeFactor(126)
    )
    assert.strictEqual(feeUSD({ amount: 1000n, fee: 126 }, { priceUSD: null, decimals: 1 }), 0)
  })
})
