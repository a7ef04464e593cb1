import { Effect, type Scope } from "effect"
import type { Network } from "../../core/domain/mod.ts"
import type { ExitLeaf, ExitTree } from "../../core/use_cases/mod.ts"
import type { ExitProofRequest, ExitTreeRequest } from "./_worker.ts"
import type { ProvenExit } from "./inclusion_proof.ts"
import { startWorker, WorkerPool } from "./worker_pool.ts"

/** Verifies exit proofs and builds exit trees in worker threads. */
export interface ExitProofWorkers {
  /** Returns for each proof whether it leads to the exit root next to it, in the same order. */
  readonly verify: (
    proofs: ReadonlyArray<readonly [exit: ProvenExit, exitRoot: bigint]>
  ) => Effect.Effect<ReadonlyArray<boolean>>
  /** Returns the exit tree of each batch, in the same order. */
  readonly buildTrees: (
    batches: ReadonlyArray<ReadonlyArray<ExitLeaf>>
  ) => Effect.Effect<ReadonlyArray<ExitTree>>
}

/**
 * Returns a pool of worker threads for exit proofs. They start with the first request and end with
 * the scope. One thread, the default, verifies as fast as a database writes.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { accountLeaf, merkleTree } from "rollup-node-api/crypto"
 * import { exitProofWorkers } from "rollup-node-api/crypto/node"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const owned = { tokenId: 0, balance: 9n, publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const tree = merkleTree([{ index: 256, leaf: accountLeaf({ ...owned, nonce: 0n }) }])
 * const exit = { accountIndex: 256, ...owned, merkleProof: tree.proof(256)! }
 * const verified = Effect.flatMap(exitProofWorkers(network), ({ verify }) =>
 *   verify([[exit, tree.root], [{ ...exit, balance: 10n }, tree.root]]))
 * console.log(await Effect.runPromise(Effect.scoped(verified))) // => [ true, false ]
 * ```
 */
export const exitProofWorkers = (
  network: Network,
  { workersMax = 1 }: { readonly workersMax?: number } = {}
): Effect.Effect<ExitProofWorkers, never, Scope.Scope> =>
  Effect.gen(function*() {
    const start = () => startWorker("exits", network)
    // the caller already holds all proofs in memory, so the queue needs no limit
    const pool = new WorkerPool<ExitProofRequest | ExitTreeRequest, boolean | ExitTree>({
      queueMax: Infinity,
      start,
      workersMax
    })
    yield* Effect.addFinalizer(() => pool.close)
    return {
      verify: (proofs) =>
        Effect.forEach(
          proofs,
          ([exit, exitRoot]) =>
            Effect.map(
              Effect.orDie(pool.run({ exit: onlyProven(exit), exitRoot })),
              (isValid) => isValid === true
            ),
          { concurrency: "unbounded" }
        ),
      buildTrees: (batches) =>
        Effect.forEach(
          batches,
          // the reply to leaves is their tree
          (leaves) => Effect.orDie(pool.run({ leaves })) as Effect.Effect<ExitTree>,
          { concurrency: "unbounded" }
        )
    }
  })

/** Removes all other properties of the caller's object: they would be copied to the thread. */
const onlyProven = (
  { accountIndex, address, balance, merkleProof, publicKey, tokenId }: ProvenExit
): ProvenExit => ({ accountIndex, address, balance, merkleProof, publicKey, tokenId })
