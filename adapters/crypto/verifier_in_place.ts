import { Effect, Layer } from "effect"
import type { Network } from "../../core/domain/mod.ts"
import { SignatureVerifier } from "../../core/ports/mod.ts"
import { verifyAuthorization } from "./verifying_authorization.ts"
import { verifyTransaction } from "./verifying_transaction.ts"

/**
 * Verifies in the calling thread, about two milliseconds each, for runtimes without worker threads. Lets other fibers and requests come
 * first before each one, and is never busy: whoever calls bounds how many come together.
 */
export function verifierInPlace(network: Network): Layer.Layer<SignatureVerifier> {
  return Layer.succeed(SignatureVerifier, {
    transaction: (transaction, publicKey) =>
      inTurn(() => verifyTransaction(publicKey, transaction, network.chainId)),
    authorization: (authorization) => inTurn(() => verifyAuthorization(authorization, network))
  })
}

const inTurn = (verify: () => boolean): Effect.Effect<boolean> =>
  Effect.andThen(Effect.yieldNow, Effect.sync(verify))
