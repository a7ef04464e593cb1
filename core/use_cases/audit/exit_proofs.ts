import { Effect } from "effect"
import type { Exit, Network } from "../../domain/mod.ts"
import type { ExitLeaf } from "../block/mod.ts"
import type { Findings } from "./findings.ts"

/** An exit with its proof, and the exit root of its batch. */
export type ExitProof = readonly [
  exit: ExitLeaf & Pick<Exit, "merkleProof">,
  exitRoot: bigint
]

/** The proof of an exit, not yet verified, and the location of the exit for a finding. */
export interface DeferredProof {
  readonly location: string
  readonly proof: ExitProof
}

/** Returns the indexes of the wrong proofs. */
export type FindWrongProofs = (
  network: Network,
  proofs: ReadonlyArray<ExitProof>
) => Effect.Effect<ReadonlyArray<number>>

/** Verifies proofs, and adds a violation for each wrong one. */
export const reportWrongProofs = (
  findWrongProofs: FindWrongProofs,
  network: Network,
  proofs: ReadonlyArray<DeferredProof>,
  findings: Findings
): Effect.Effect<void> =>
  Effect.map(findWrongProofs(network, proofs.map(({ proof }) => proof)), (wrong) => {
    for (const index of wrong) {
      const { location, proof: [, exitRoot] } = proofs[index]!
      findings.violate(
        "exit-proofs",
        location,
        "a proof with another root",
        `a proof with the root ${exitRoot}, the exit root of its batch`
      )
    }
  })
