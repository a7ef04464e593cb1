import { Effect, Scope } from "effect"
import { availableParallelism } from "node:os"
import { accountLeaf, poseidon, verifyExitProof } from "../../../adapters/crypto/mod.ts"
import { type ExitProofWorkers, exitProofWorkers } from "../../../adapters/crypto/node.ts"
import type { AccountTree, Findings, FindWrongProofs } from "../../../core/mod.ts"

/** The hash functions of the state tree. */
export const treeHashes: AccountTree = {
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
): Effect.Effect<FindWrongProofs, never, Scope.Scope> =>
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
