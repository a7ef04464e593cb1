import { Effect, Layer, type Scope } from "effect"
import { availableParallelism } from "node:os"
import type { Network } from "../../core/domain/mod.ts"
import { counter, gauge, limitHits, measure, SignatureVerifier } from "../../core/ports/mod.ts"
import type { ExitTree, ExitTreeBuilder } from "../../core/use_cases/mod.ts"
import type { ExitTreeRequest, VerificationRequest } from "./_worker.ts"
import { signedElements } from "./transaction_signature.ts"
import { startWorker, WorkerPool } from "./worker_pool.ts"

/* What needs Node's worker threads; everything in `mod.ts` runs on any platform. */

/**
 * Returns a builder of exit trees in worker threads, which start with the first request and end with
 * the scope. One thread, the default, builds them as fast as a database writes.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { exitTree } from "rollup-node-api/crypto"
 * import { exitTreeWorkers } from "rollup-node-api/crypto/node"
 *
 * const owned = { tokenId: 0, balance: 9n, publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const leaves = [{ accountIndex: 256, ...owned }]
 * const trees = Effect.flatMap(exitTreeWorkers(), (buildExitTrees) => buildExitTrees([leaves]))
 * const [tree] = (await Effect.runPromise(Effect.scoped(trees)))!
 * console.log(tree?.root === exitTree(leaves).root) // => true
 * ```
 */
export const exitTreeWorkers = (
  { workersMax = 1 }: { readonly workersMax?: number } = {}
): Effect.Effect<ExitTreeBuilder, never, Scope.Scope> =>
  Effect.gen(function*() {
    const start = () => startWorker("exits", null)
    // the caller already holds all leaves in memory, so the queue needs no limit
    const pool = new WorkerPool<ExitTreeRequest, ExitTree>({
      queueMax: Infinity,
      start,
      workersMax
    })
    yield* Effect.addFinalizer(() => pool.close)
    return (batches) =>
      Effect.forEach(
        batches,
        (leaves) => Effect.orDie(pool.run({ leaves })),
        { concurrency: "unbounded" }
      )
  })

/** The options of `verifierWorkers`. */
export interface VerifierWorkersOptions {
  /**
   * Maximum number of threads; the number of cores by default. The thread that serves requests does
   * little while clients wait for verifications, so it needs no core of its own.
   */
  readonly workersMax?: number
  /**
   * Maximum number of queued verifications, without those that a worker has received; 4096 by
   * default, some seconds of work.
   */
  readonly queueMax?: number
}

/**
 * Returns a verifier that runs in worker threads. They start with the first verification, are
 * replaced if they crash, do not keep the process alive while they are idle, and end with the
 * layer. If `queueMax` verifications are queued, it fails with `VerifierBusy`.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { SignatureVerifier } from "rollup-node-api"
 * import { derivePublicKey, ethereumAddress, signAuthorization } from "rollup-node-api/crypto"
 * import { verifierWorkers } from "rollup-node-api/crypto/node"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const owner = new Uint8Array(32).fill(7)
 * const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
 * const signature = signAuthorization(owner, publicKey, network)
 * const verify = Effect.flatMap(SignatureVerifier, (verifier) =>
 *   verifier.authorization({ address: ethereumAddress(owner), publicKey, signature }))
 * const provided = Effect.provide(verify, verifierWorkers(network))
 * console.log(await Effect.runPromise(provided)) // => true
 * ```
 */
export function verifierWorkers(
  network: Network,
  { queueMax = 4096, workersMax = availableParallelism() }: VerifierWorkersOptions = {}
): Layer.Layer<SignatureVerifier> {
  const start = () => startWorker("verifier", network)
  return Layer.effect(
    SignatureVerifier,
    Effect.gen(function*() {
      const pool = new WorkerPool<VerificationRequest>({ queueMax, start, workersMax })
      yield* Effect.addFinalizer(() => pool.close)
      yield* measure(
        gauge(
          "rollup_verifier_waiting",
          "Signatures queued for verification",
          () => pool.stats().queued
        ),
        gauge(
          "rollup_verifier_waiting_max",
          "Maximum number of signatures queued for verification",
          () => queueMax
        ),
        gauge(
          "rollup_verifier_under_way",
          "Signatures that threads are verifying",
          () => pool.stats().running
        ),
        gauge(
          "rollup_verifier_threads",
          "Threads that verify signatures",
          () => pool.stats().workers
        ),
        counter(
          "rollup_verifications_total",
          "Signatures verified by threads",
          () => pool.stats().completed
        ),
        counter(
          "rollup_verifier_threads_lost_total",
          "Verification threads that crashed",
          () => pool.stats().crashed
        ),
        limitHits("verifierQueueMax", () => pool.stats().rejected)
      )
      return {
        transaction: (transaction, publicKey) =>
          Effect.suspend(() => {
            const elements = signedElements(transaction, network.chainId)
            return elements === undefined
              ? Effect.succeed(false)
              : pool.run({ publicKey, elements, signature: transaction.signature })
          }),
        // three fields only: all other properties of the caller's object would be copied too
        authorization: ({ address, publicKey, signature }) =>
          pool.run({ address, publicKey, signature })
      }
    })
  )
}
