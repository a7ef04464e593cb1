import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { inlineVerifier } from "../../adapters/crypto/mod.ts"
import { verifierWorkers } from "../../adapters/crypto/node.ts"
import { SignatureVerifier, VerifierBusy } from "../../core/ports/mod.ts"
import { network, signedAuthorization, signedTransactions } from "./_signed.ts"

const verifiers = {
  "in place": inlineVerifier(network),
  "in workers": verifierWorkers(network, { workersMax: 2 })
}

const signed = signedTransactions(24, 3)

for (const [name, layer] of Object.entries(verifiers)) {
  describe(`Verifying ${name}`, () => {
    it.live("each request gets its own answer", () =>
      Effect.gen(function*() {
        const verifier = yield* SignatureVerifier
        const [first] = signed
        const other = signedAuthorization(5)
        const requests = signed.flatMap(({ publicKey, transaction }, i) =>
          [
            [true, verifier.transaction(transaction, publicKey)],
            [i % 3 === 0, verifier.transaction(transaction, first!.publicKey)],
            [
              false,
              verifier.transaction({ ...transaction, amount: transaction.amount + 1n }, publicKey)
            ],
            [false, verifier.transaction({ ...transaction, amount: 12345678901234567n }, publicKey)]
          ] as const
        )
        const answers = yield* Effect.all(requests.map(([, ask]) => ask), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(answers, requests.map(([expected]) => expected))
        assert.isTrue(yield* verifier.authorization(other))
        assert.isFalse(yield* verifier.authorization({ ...other, address: network.rollupAddress }))
      }).pipe(Effect.provide(layer)))
  })
}

describe("Verifying in workers", () => {
  it.live("requests beyond the limit are refused with a time to retry, and all others are answered", () =>
    Effect.gen(function*() {
      const verifier = yield* SignatureVerifier
      const { publicKey, transaction } = signed[0]!
      const exits = yield* Effect.all(
        Array.from({ length: 40 }, () => Effect.exit(verifier.transaction(transaction, publicKey))),
        { concurrency: "unbounded" }
      )
      const [answered, refused] = [exits.filter(Exit.isSuccess), exits.filter(Exit.isFailure)]
      // four wait, and the two batches of the worker contain one and up to eight
      assert.isAtLeast(answered.length, 4)
      assert.isAtLeast(refused.length, 27)
      assert.isTrue(answered.every(({ value }) => value))
      const error = yield* Effect.flip(Effect.flatten(Effect.succeed(refused[0]!)))
      assert.instanceOf(error, VerifierBusy)
      assert.isAtLeast(error.retryAfterSeconds, 1)
    }).pipe(Effect.provide(verifierWorkers(network, { workersMax: 1, queueMax: 4 }))))

  it.live("closing the layer ends the threads and interrupts waiting requests", () =>
    Effect.gen(function*() {
      const { publicKey, transaction } = signed[0]!
      const fibers = yield* Effect.gen(function*() {
        const verifier = yield* SignatureVerifier
        const waiting = yield* Effect.forEach(
          Array.from({ length: 30 }),
          () =>
            Effect.forkDetach(verifier.transaction(transaction, publicKey), {
              startImmediately: true
            })
        )
        return waiting
      }).pipe(Effect.provide(Layer.fresh(verifierWorkers(network, { workersMax: 1 }))))
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      assert.isTrue(exits.every((exit) => Exit.isFailure(exit) && Exit.hasInterrupts(exit)))
    }))
})
