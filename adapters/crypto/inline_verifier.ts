import { Effect, Layer } from "effect"
import type { Network } from "../../core/domain/mod.ts"
import { SignatureVerifier } from "../../core/ports/mod.ts"
import { verifyAuthorization } from "./authorization_signature.ts"
import { verifyTransaction } from "./transaction_signature.ts"

/**
 * Returns a verifier that runs in the calling thread, for runtimes without worker threads. Each
 * verification blocks the thread for some milliseconds, and yields to other fibers and requests
 * before it starts. It has no queue and never fails with `VerifierBusy`: the caller has to limit
 * concurrent verifications.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { SignatureVerifier } from "rollup-node-api"
 * import { derivePublicKey, inlineVerifier } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
 * const unsigned = { address: `0x${"2".repeat(40)}`, publicKey, signature: "0x" }
 * const verify = Effect.flatMap(SignatureVerifier, (verifier) => verifier.authorization(unsigned))
 * const provided = Effect.provide(verify, inlineVerifier(network))
 * console.log(await Effect.runPromise(provided)) // => false
 * ```
 */
export function inlineVerifier(network: Network): Layer.Layer<SignatureVerifier> {
  return Layer.succeed(SignatureVerifier, {
    transaction: (transaction, publicKey) =>
      afterYield(() => verifyTransaction(publicKey, transaction, network.chainId)),
    authorization: (authorization) => afterYield(() => verifyAuthorization(authorization, network))
  })
}

const afterYield = (verify: () => boolean): Effect.Effect<boolean> =>
  Effect.andThen(Effect.yieldNow, Effect.sync(verify))
