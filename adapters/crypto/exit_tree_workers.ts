import { Effect, type Scope } from "effect"
import type { ExitTree, ExitTreeBuilder } from "../../core/use_cases/mod.ts"
import type { ExitTreeRequest } from "./_worker.ts"
import { startWorker, WorkerPool } from "./worker_pool.ts"

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
