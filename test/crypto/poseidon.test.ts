import { assert, describe, it } from "@effect/vitest"
import { babyjubjub } from "@noble/curves/misc.js"
import { poseidonCode } from "../../adapters/crypto/_poseidon_code.ts"
import { portableHash } from "../../adapters/crypto/_poseidon_portable.ts"
import { poseidon } from "../../adapters/crypto/mod.ts"
import { unsigned } from "../encoding/_arbitrary.ts"
import { verifyCases } from "../vectors/mod.ts"

const P = babyjubjub.Point.Fp.ORDER

interface HashCase {
  readonly inputs: ReadonlyArray<string>
  readonly hash: string
}

describe("Poseidon", () => {
  it("every hash of the vectors is reproduced", () => {
    verifyCases<HashCase>("poseidon", 254, ({ inputs, hash }) => assert.strictEqual(String(poseidon(inputs.map(BigInt))), hash))
  })

  it("the published hashes hold", () => {
    assert.strictEqual(poseidon([1n]), 18586133768512220936620570745912940619677854269274689475585506675881198879027n)
    assert.strictEqual(poseidon([1n, 2n]), 7853200120776062878684798364095072458815029376092732009249414926327459813530n)
    assert.strictEqual(
      poseidon([1n, 2n, 0n, 0n, 0n]),
      1018317224307729531995786483840663576608797660851238720571059489595066344487n
    )
    assert.strictEqual(
      poseidon([1n, 2n, 3n, 4n, 5n, 6n]),
      20400040500897583745843009878988256314335038853985262692600694741116813247201n
    )
  })

  const portable = [1, 2, 3, 4, 5, 6].map((inputs) => portableHash(inputs))
  const hashesAlike = (inputs: ReadonlyArray<bigint>) => {
    for (const [i, hash] of portable.entries()) {
      const some = inputs.slice(0, i + 1)
      assert.strictEqual(poseidon(some), hash(some.map((input) => input % P)), some.join(", "))
    }
  }

  it.prop(
    "compiled, it gives what it gives where nothing can be compiled",
    { a: unsigned(256), b: unsigned(254), c: unsigned(261), d: unsigned(253), e: unsigned(64), f: unsigned(1) },
    ({ a, b, c, d, e, f }) => {
      hashesAlike([a, b, c, d, e, f])
      hashesAlike([f, e, d, c, b, a])
    },
    { arbitrary: { runs: 60 } }
  )

  it("it does so at the borders of the field and of the limbs", () => {
    const borders = [0n, 1n, P - 1n, P, P + 1n, 2n * P - 1n, (1n << 29n) - 1n, 1n << 29n, (1n << 253n) - 1n, (1n << 256n) - 1n]
    for (const border of borders) hashesAlike(Array.from({ length: 6 }, () => border))
    for (const i of borders.keys()) hashesAlike([...borders.slice(i), ...borders].slice(0, 6))
    assert.isDefined(poseidonCode(P, 1), "this runtime compiles")
  })

  it("no inputs and more than six are a defect", () => {
    assert.throws(() => poseidon([]), RangeError)
    assert.throws(() => poseidon([1n, 2n, 3n, 4n, 5n, 6n, 7n]), RangeError)
  })
})
