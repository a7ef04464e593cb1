import { Context, Effect, Layer, Scope } from "effect"
import type { VerifierWorkersOptions } from "../adapters/crypto/node.ts"
import { type ExitProofVerifier, Monitor, type Network, SignatureVerifier } from "../core/mod.ts"
import { verifyExitProofsHere } from "./layers.ts"

/** Verifies in worker threads, by code that is loaded with the first signature: a start does not wait for it. */
export const verifierThreads = (
  network: Network,
  options: VerifierWorkersOptions
): Layer.Layer<SignatureVerifier> =>
  Layer.effect(
    SignatureVerifier,
    Effect.gen(function*() {
      const [monitor, scope] = [yield* Monitor, yield* Effect.scope]
      const verifier = yield* Effect.cached(
        Effect.uninterruptible(
          Effect.promise(() => import("../adapters/crypto/node.ts")).pipe(
            Effect.flatMap(({ verifierWorkers }) =>
              Layer.buildWithScope(verifierWorkers(network, options), scope)
            ),
            Effect.map(Context.get(SignatureVerifier)),
            Effect.provideService(Monitor, monitor)
          )
        )
      )
      return {
        transaction: (transaction, publicKey) =>
          Effect.flatMap(verifier, (verifier) => verifier.transaction(transaction, publicKey)),
        authorization: (authorization) =>
          Effect.flatMap(verifier, (verifier) => verifier.authorization(authorization))
      }
    })
  )

/**
 * Judges the proofs of exits in a thread, which starts with the first of them, so that nobody who reads waits for them. As long as
 * `inPlaceWhile` says so they are judged in the calling thread: those of a history that a node applies before it serves come one
 * after the other, and the answers of the thread would only be waited for.
 */
export const verifyExitProofsInThread = (
  network: Network,
  inPlaceWhile = (): boolean => false
): Effect.Effect<ExitProofVerifier, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [here, scope] = [yield* verifyExitProofsHere, yield* Effect.scope]
    const workers = yield* Effect.cached(Effect.uninterruptible(
      Effect.promise(() => import("../adapters/crypto/node.ts")).pipe(
        Effect.flatMap(({ exitWorkers }) => Scope.provide(exitWorkers(network), scope))
      )
    ))
    const there: ExitProofVerifier = (proofs) =>
      Effect.map(
        Effect.flatMap(workers, ({ verdicts }) => verdicts(proofs)),
        (right) => {
          const wrong = right.indexOf(false)
          return wrong < 0 ? undefined : wrong
        }
      )
    return (proofs) => Effect.suspend(() => inPlaceWhile() ? here(proofs) : there(proofs))
  })
