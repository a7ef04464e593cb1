import { Effect, Scope } from "effect"
import { availableParallelism } from "node:os"
import {
  accountLeaf,
  poseidon,
  type ProvenExit,
  verifyExitProof
} from "../../../adapters/crypto/mod.ts"
import { type ExitWorkers, exitWorkers } from "../../../adapters/crypto/node.ts"
import type { Account, Findings, Network, TreeHashes } from "../../../core/mod.ts"

/** What audits are given: how far they are is told, and what is dear is done in other threads. */
export interface Auditing {
  readonly tell: (
    done: { readonly units: number; readonly share: number | undefined; readonly at: string }
  ) => Effect.Effect<void>
  /** The places of those proofs that are wrong; a sample of them, where that is asked for. */
  readonly wrongProofs: (
    network: Network,
    proofs: ReadonlyArray<readonly [exit: ProvenExit, exitRoot: bigint]>
  ) => Effect.Effect<ReadonlyArray<number>>
  readonly tree: (TreeHashes & { readonly account: (account: Account) => bigint }) | null
}

/** Notes which of the proofs are wrong that came with records. */
export const reportWrongProofs = (
  wrongProofs: Auditing["wrongProofs"],
  network: Network,
  deferredProofs: ReadonlyArray<
    { readonly place: string; readonly proof: readonly [exit: ProvenExit, exitRoot: bigint] }
  >,
  findings: Findings
): Effect.Effect<void> =>
  Effect.map(wrongProofs(network, deferredProofs.map(({ proof }) => proof)), (wrong) => {
    for (const at of wrong) {
      findings.violate(
        "exit-proofs",
        deferredProofs[at]!.place,
        "a proof that leads elsewhere",
        `one that leads from its leaf to ${
          deferredProofs[at]!.proof[1]
        }, the exit root of its batch`
      )
    }
  })

/** The hashes that the state tree is made of. */
export const treeHashes: NonNullable<Auditing["tree"]> = {
  account: accountLeaf,
  leaf: (index, value) => poseidon([BigInt(index), value, 1n]),
  node: (left, right) => poseidon([left, right])
}

/** Threads take longer to start than so many proofs take. */
const inPlaceMax = 64

/** In threads, once there are many. Of a sample every so many is taken. */
export const proofJudge = (
  sample: number,
  findings: Findings
): Effect.Effect<Auditing["wrongProofs"], never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let workers: ExitWorkers | undefined
    let due = 0
    return Effect.fnUntraced(function*(network, proofs) {
      const chosen = proofs.flatMap((proof, place) => {
        due += sample
        if (due < 1) return []
        due -= 1
        return [{ place, proof }]
      })
      if (chosen.length === 0) return []
      findings.checked("exit-proofs", chosen.length)
      if (workers === undefined && chosen.length <= inPlaceMax) {
        return yield* Effect.filter(
          chosen,
          ({ proof }) => Effect.as(Effect.yieldNow, !verifyExitProof(...proof))
        ).pipe(Effect.map((wrong) => wrong.map(({ place }) => place)))
      }
      const { verdicts } = workers ??= yield* Scope.provide(
        exitWorkers(network, { workersMax: availableParallelism() }),
        scope
      )
      const right = yield* verdicts(chosen.map(({ proof }) => proof))
      return chosen.flatMap(({ place }, i) => right[i] ? [] : [place])
    })
  })
