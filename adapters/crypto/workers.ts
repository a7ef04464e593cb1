import { Effect, Layer } from "effect"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { Network } from "../../core/domain/mod.ts"
import { counter, gauge, limitHits, measure, SignatureVerifier } from "../../core/ports/mod.ts"
import type { Question } from "./_question.ts"
import { WORKER } from "./_worker_file.ts"
import { verifyAuthorization } from "./verifying_authorization.ts"
import { signedElements } from "./verifying_transaction.ts"
import { workerPool } from "./worker_pool.ts"

export interface VerifierWorkersOptions {
  /**
   * Threads at most; by default one for each core. Not one fewer: on two cores that would halve what is verified, and the thread that
   * serves requests does little beside.
   */
  readonly workersMax?: number
  /** Verifications that wait at most, beyond those that are with a worker; 4096 by default, some seconds of work. */
  readonly queueMax?: number
  /**
   * As long as it says so, authorizations are verified in the calling thread, some three milliseconds each; never by default. A history that
   * a node applies before it serves shows them one after the other, and would only wait for what workers answer.
   */
  readonly inPlaceWhile?: () => boolean
}

/**
 * Verifies in worker threads. They start with the first verification, are replaced when they perish, don't keep the process alive while
 * they are idle and end with the layer; with `queueMax` waiting it is busy.
 */
export function verifierWorkers(
  network: Network,
  { inPlaceWhile = () => false, queueMax = 4096, workersMax = availableParallelism() }:
    VerifierWorkersOptions = {}
): Layer.Layer<SignatureVerifier> {
  const start = () => new Worker(WORKER, { name: "verifier", workerData: network })
  return Layer.effect(
    SignatureVerifier,
    Effect.gen(function*() {
      const pool = workerPool<Question>({ queueMax, start, workersMax })
      yield* Effect.addFinalizer(() => pool.close)
      yield* measure(
        gauge(
          "rollup_verifier_waiting",
          "Signatures that wait for a thread",
          () => pool.stats().waiting
        ),
        gauge(
          "rollup_verifier_waiting_max",
          "Signatures that may wait for a thread",
          () => queueMax
        ),
        gauge(
          "rollup_verifier_under_way",
          "Signatures that a thread is at",
          () => pool.stats().underWay
        ),
        gauge(
          "rollup_verifier_threads",
          "Threads that verify signatures",
          () => pool.stats().workers
        ),
        counter(
          "rollup_verifications_total",
          "Signatures that threads have verified",
          () => pool.stats().answered
        ),
        counter(
          "rollup_verifier_threads_lost_total",
          "Threads that ended while they were not told to",
          () => pool.stats().perished
        ),
        limitHits("verifierQueueMax", () => pool.stats().turnedAway)
      )
      return {
        transaction: (transaction, publicKey) =>
          Effect.suspend(() => {
            const elements = signedElements(transaction, network.chainId)
            return elements === undefined
              ? Effect.succeed(false)
              : pool.ask({ publicKey, elements, signature: transaction.signature })
          }),
        // the fields by name, since whatever else the caller's object holds would be copied too
        authorization: ({ address, publicKey, signature }) =>
          Effect.suspend(() =>
            inPlaceWhile()
              ? Effect.succeed(verifyAuthorization({ address, publicKey, signature }, network))
              : pool.ask({ address, publicKey, signature })
          )
      }
    })
  )
}
