import { assert, describe, it } from "@effect/vitest"
import { poseidon } from "../../adapters/crypto/mod.ts"
import { verifyCases } from "../vectors/mod.ts"

interface HashCase {
  readonly inputs: ReadonlyArray<string>
  readonly hash: string
}

describe("Poseidon", () => {
  it("every hash of the vectors is reproduced, with each number of inputs", () => {
    const lengths = new Set<number>()
    verifyCases<HashCase>("poseidon", 254, ({ inputs, hash }) => {
      assert.strictEqual(String(poseidon(inputs.map(BigInt))), hash)
      lengths.add(inputs.length)
    })
    assert.deepStrictEqual([...lengths].sort(), [1, 2, 3, 4, 5, 6])
  })

  it("no inputs and more than six are a defect", () => {
    assert.throws(() => poseidon([]), RangeError)
    assert.throws(() => poseidon([1n, 2n, 3n, 4n, 5n, 6n, 7n]), RangeError)
  })
})
