import { Effect, Scope } from "effect"
import { availableParallelism } from "node:os"
import {
  accountLeaf,
  poseidon,
  type ProvenExit,
  verifyExitProof
} from "../../../adapters/crypto/mod.ts"
import { type ExitProofWorkers, exitProofWorkers } from "../../../adapters/crypto/node.ts"
import type { Account, Findings, Network, TreeHashes } from "../../../core/mod.ts"

/** Services for audits: progress reports, and expensive checks in worker threads. */
export interface Auditing {
  readonly onProgress: (
    done: { readonly units: number; readonly share: number | undefined; readonly at: string }
  ) => Effect.Effect<void>
  /** Returns the indexes of invalid proofs. Checks a sample if `--exit-sample` is below 1. */
  readonly findWrongProofs: (
    network: Network,
    proofs: ReadonlyArray<readonly [exit: ProvenExit, exitRoot: bigint]>
  ) => Effect.Effect<ReadonlyArray<number>>
  readonly tree: (TreeHashes & { readonly account: (account: Account) => bigint }) | null
}

/** Verifies the proofs of records, and adds a finding for each invalid one. */
export const reportWrongProofs = (
  findWrongProofs: Auditing["findWrongProofs"],
  network: Network,
  deferredProofs: ReadonlyArray<
    { readonly location: string; readonly proof: readonly [exit: ProvenExit, exitRoot: bigint] }
  >,
  findings: Findings
): Effect.Effect<void> =>
  Effect.map(findWrongProofs(network, deferredProofs.map(({ proof }) => proof)), (wrong) => {
    for (const index of wrong) {
      findings.violate(
        "exit-proofs",
        deferredProofs[index]!.location,
        "a proof with another root",
        `a proof with the root ${deferredProofs[index]!.proof[1]}, the exit root of its batch`
      )
    }
  })

/** The hash functions of the state tree. */
export const treeHashes: NonNullable<Auditing["tree"]> = {
  account: accountLeaf,
  leaf: (index, value) => poseidon([BigInt(index), value, 1n]),
  node: (left, right) => poseidon([left, right])
}

/** Number of proofs up to which starting threads takes longer than verifying in place. */
const inPlaceMax = 64

/**
 * Returns the function that verifies proofs, in worker threads if there are many. If `sample` is
 * below 1, it verifies every n-th proof.
 */
export const makeProofVerifier = (
  sample: number,
  findings: Findings
): Effect.Effect<Auditing["findWrongProofs"], never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let workers: ExitProofWorkers | undefined
    let due = 0
    return Effect.fnUntraced(function*(network, proofs) {
      const chosen = proofs.flatMap((proof, index) => {
        due += sample
        if (due < 1) return []
        due -= 1
        return [{ index, proof }]
      })
      if (chosen.length === 0) return []
      findings.checked("exit-proofs", chosen.length)
      if (workers === undefined && chosen.length <= inPlaceMax) {
        return yield* Effect.filter(
          chosen,
          ({ proof }) => Effect.as(Effect.yieldNow, !verifyExitProof(...proof))
        ).pipe(Effect.map((wrong) => wrong.map(({ index }) => index)))
      }
      const { verify } = workers ??= yield* Scope.provide(
        exitProofWorkers(network, { workersMax: availableParallelism() }),
        scope
      )
      const isValid = yield* verify(chosen.map(({ proof }) => proof))
      return chosen.flatMap(({ index }, i) => isValid[i] ? [] : [index])
    })
  })
