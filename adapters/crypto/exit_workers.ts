import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import type { Network } from "../../core/domain/mod.ts"
import type { ExitQuestion } from "./_question.ts"
import { WORKER } from "./_worker_file.ts"
import type { ProvenExit } from "./inclusion_proof.ts"
import { workerPool } from "./worker_pool.ts"

/** Verifies proofs of exits in worker threads. */
export interface ExitWorkers {
  /** Of each whether it leads to the exit root beside it. */
  readonly verdicts: (
    proofs: ReadonlyArray<readonly [exit: ProvenExit, exitRoot: bigint]>
  ) => Effect.Effect<ReadonlyArray<boolean>>
}

/** Threads that start with the first proof and end with the scope; one is enough to keep up with a database that writes. */
export const exitWorkers = (
  network: Network,
  { workersMax = 1 }: { readonly workersMax?: number } = {}
): Effect.Effect<ExitWorkers, never, Scope.Scope> =>
  Effect.gen(function*() {
    const start = () => new Worker(WORKER, { name: "exits", workerData: network })
    // whoever asks holds all proofs anyway: none is turned away
    const pool = workerPool<ExitQuestion>({ queueMax: Infinity, start, workersMax })
    yield* Effect.addFinalizer(() => pool.close)
    return {
      verdicts: (proofs) =>
        Effect.forEach(proofs, ([exit, exitRoot]) =>
          Effect.orDie(pool.ask({ exit: onlyProven(exit), exitRoot })), {
          concurrency: "unbounded"
        })
    }
  })

/** Whatever else the caller's object holds would be copied too. */
const onlyProven = (
  { accountIndex, address, balance, merkleProof, publicKey, tokenId }: ProvenExit
): ProvenExit => ({ accountIndex, address, balance, merkleProof, publicKey, tokenId })
