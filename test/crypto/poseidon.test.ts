import { assert, describe, it } from "@effect/vitest"
import { poseidon } from "../../adapters/crypto/mod.ts"
import { verifyCases } from "../vectors/mod.ts"

interface HashCase {
  readonly inputs: ReadonlyArray<string>
  readonly hash: string
}

describe("Poseidon", () => {
  it("every hash of the vectors is reproduced", () => {
    verifyCases<HashCase>(
      "poseidon",
      254,
      ({ inputs, hash }) => assert.strictEqual(String(poseidon(inputs.map(BigInt))), hash)
    )
  })

  it("the published hashes hold", () => {
    assert.strictEqual(
      poseidon([1n]),
      18586133768512220936620570745912940619677854269274689475585506675881198879027n
    )
    assert.strictEqual(
      poseidon([1n, 2n]),
      7853200120776062878684798364095072458815029376092732009249414926327459813530n
    )
    assert.strictEqual(
      poseidon([1n, 2n, 0n, 0n, 0n]),
      1018317224307729531995786483840663576608797660851238720571059489595066344487n
    )
    assert.strictEqual(
      poseidon([1n, 2n, 3n, 4n, 5n, 6n]),
      20400040500897583745843009878988256314335038853985262692600694741116813247201n
    )
  })

  it("no inputs and more than six are a defect", () => {
    assert.throws(() => poseidon([]), RangeError)
    assert.throws(() => poseidon([1n, 2n, 3n, 4n, 5n, 6n, 7n]), RangeError)
  })
})
