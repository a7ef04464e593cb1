import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  derivePublicKey,
  ethereumAddress,
  keccak256,
  inlineVerifier
} from "../../adapters/crypto/mod.ts"
import { defaultNetwork } from "../../app/simulator/mod.ts"
import { bodyExamples, bodyReader, later, wireContext } from "../../core/contract/mod.ts"
import { l2TransactionId } from "../../core/encoding/mod.ts"
import { SignatureVerifier } from "../../core/ports/mod.ts"

const context = wireContext(defaultNetwork, keccak256)
const key = new Uint8Array(32).fill(1)

describe("the examples of the documentation", () => {
  it.effect("are validly signed for the simulated network", () =>
    Effect.gen(function*() {
      const verifier = yield* SignatureVerifier
      for (const example of Object.values(bodyExamples(later.bodies.transaction, context))) {
        const posted = Result.getOrThrow(
          bodyReader(later.bodies.transaction, context)(JSON.stringify(example))
        )
        assert.strictEqual(Result.getOrThrow(l2TransactionId(posted, keccak256)), posted.id)
        assert.isTrue(yield* verifier.transaction(posted, derivePublicKey(key)))
      }
      const { authorization } = bodyExamples(later.bodies.authorization, context)
      const posted = Result.getOrThrow(
        bodyReader(later.bodies.authorization, context)(JSON.stringify(authorization))
      )
      assert.strictEqual(posted.address, ethereumAddress(key))
      assert.isTrue(yield* verifier.authorization(posted))
    }).pipe(Effect.provide(inlineVerifier(defaultNetwork))))
})
