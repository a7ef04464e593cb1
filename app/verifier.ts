import { Context, Effect, Layer } from "effect"
import type { VerifierWorkersOptions } from "../adapters/crypto/node.ts"
import { Monitor, type Network, SignatureVerifier } from "../core/mod.ts"

/** Verifies in worker threads, by code that is loaded with the first signature: a start does not wait for it. */
export const verifierThreads = (network: Network, options: VerifierWorkersOptions): Layer.Layer<SignatureVerifier> =>
  Layer.effect(SignatureVerifier, Effect.gen(function*() {
    const [monitor, scope] = [yield* Monitor, yield* Effect.scope]
    const verifier = yield* Effect.cached(Effect.uninterruptible(Effect.promise(() => import("../adapters/crypto/node.ts")).pipe(
      Effect.flatMap(({ verifierWorkers }) => Layer.buildWithScope(verifierWorkers(network, options), scope)),
      Effect.map(Context.get(SignatureVerifier)),
      Effect.provideService(Monitor, monitor)
    )))
    return {
      transaction: (transaction, publicKey) => Effect.flatMap(verifier, (verifier) => verifier.transaction(transaction, publicKey)),
      authorization: (authorization) => Effect.flatMap(verifier, (verifier) => verifier.authorization(authorization))
    }
  }))
