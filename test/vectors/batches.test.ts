import { assert, describe, it } from "@effect/vitest"
import { type ChainCase } from "./batch_cases.ts"
import { verifyCases } from "./mod.ts"
import { BatchChain, differenceOf } from "./batch_chain.ts"

describe("chains of batches of the published implementation", () => {
  it("have its roots, leaves, balances and effective amounts, or are refused", () => {
    verifyCases<ChainCase>("batches", 36, (vector) => {
      assert.strictEqual(differenceOf(vector), undefined)
      assert.strictEqual(vector.batches.at(-1)!.expected === null, vector.negative)
      assert.strictEqual(vector.verdict.accept, !vector.negative)
    })
  })

  it("are refused with another exit root, and without a leaf of 0", () => {
    let emptyLeaves = 0
    verifyCases<ChainCase>("batches", 36, ({ batches, title, verdict }) => {
      if (!verdict.accept || title.startsWith("random")) return
      const chain = new BatchChain()
      for (const { batch, expected } of batches) {
        if (expected === null) throw new Error("Expected an accepted batch")
        chain.fill(batch)
        const wrongRoot = { ...expected, exitRoot: String(BigInt(expected.exitRoot) + 1n) }
        assert.oneOf(chain.violation(batch, wrongRoot), ["exit-root"])
        const exits = expected.exits
          .filter(([, balance]) => balance !== "0")
          .map(([accountIndex, balance]) => ({ accountIndex, balance: BigInt(balance) }))
        if (exits.length < expected.exits.length) {
          emptyLeaves++
          assert.oneOf(chain.violation(batch, expected, { exits }), ["exit-account", "exit-root"])
        }
        assert.strictEqual(chain.forge(batch, expected).kind, "stored")
      }
    })
    assert.isAbove(emptyLeaves, 5)
  })
})
