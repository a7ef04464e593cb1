import { Context, Effect, Layer, Option, Scope, Semaphore } from "effect"
import type { VerifierWorkersOptions } from "../../adapters/crypto/node.ts"
import {
  type ExitTreeBuilder,
  Monitor,
  type Network,
  SignatureVerifier,
  VerifierBusy
} from "../../core/mod.ts"
import { cachedSuccess } from "../../core/ports/mod.ts"

/**
 * Returns a verifier that is loaded for the first signature. Fails with `VerifierBusy` if more
 * than `waitingMax` verifications wait.
 */
const lazyVerifier = (
  load: Effect.Effect<Layer.Layer<SignatureVerifier>>,
  waitingMax = Infinity
): Layer.Layer<SignatureVerifier> =>
  Layer.effect(
    SignatureVerifier,
    Effect.gen(function*() {
      const [monitor, scope] = [yield* Monitor, yield* Effect.scope]
      const loaded = yield* cachedSuccess(
        Effect.flatMap(load, (layer) => Layer.buildWithScope(layer, scope)).pipe(
          Effect.map(Context.get(SignatureVerifier)),
          Effect.provideService(Monitor, monitor)
        )
      )
      const limited = Semaphore.makeUnsafe(waitingMax).withPermitsIfAvailable(1)
      const verify = (
        verification: (
          verifier: SignatureVerifier["Service"]
        ) => Effect.Effect<boolean, VerifierBusy>
      ) =>
        Effect.flatMap(
          limited(Effect.flatMap(loaded, verification)),
          Option.match({
            onNone: () => Effect.fail(new VerifierBusy({ retryAfterSeconds: 1 })),
            onSome: Effect.succeed
          })
        )
      return {
        transaction: (transaction, publicKey) =>
          verify((verifier) => verifier.transaction(transaction, publicKey)),
        authorization: (authorization) =>
          verify((verifier) => verifier.authorization(authorization))
      }
    })
  )

/**
 * Verifies signatures in the calling thread, with code that is imported on first use: browsers can
 * open an embedded node without a bundler, but not import its hash function.
 */
export const verifierOnDemand = (network: Network): Layer.Layer<SignatureVerifier> =>
  lazyVerifier(
    Effect.map(
      Effect.promise(() => import("../../adapters/crypto/mod.ts")),
      ({ inlineVerifier }) => inlineVerifier(network)
    ),
    256
  )

/** Verifies signatures in worker threads, with code that is imported for the first signature. */
export const verifierThreads = (
  network: Network,
  options: VerifierWorkersOptions
): Layer.Layer<SignatureVerifier> =>
  lazyVerifier(
    Effect.map(
      Effect.promise(() => import("../../adapters/crypto/node.ts")),
      ({ verifierWorkers }) => verifierWorkers(network, options)
    )
  )

/**
 * Builds exit trees in a worker thread, which starts with the first exit, so that they do not delay
 * requests.
 */
export const exitTreesInThread: Effect.Effect<ExitTreeBuilder, never, Scope.Scope> = Effect.gen(
  function*() {
    const scope = yield* Effect.scope
    const loaded = yield* cachedSuccess(
      Effect.promise(() => import("../../adapters/crypto/node.ts")).pipe(
        Effect.flatMap(({ exitTreeWorkers }) => Scope.provide(exitTreeWorkers(), scope))
      )
    )
    return (batches) => Effect.flatMap(loaded, (build) => build(batches))
  }
)
