import { Effect } from "effect"
import type { Batch, Exit, MerkleProof } from "../../domain/mod.ts"
import { exitLeafOf, type ExitTreeBuilder } from "../block/mod.ts"
import { locationOfExit } from "./_exits.ts"
import { type Findings, reportDefects } from "./findings.ts"

/** The options of an audit of exit trees. */
export interface ExitTreeOptions {
  /** Builds the exit trees, with which the proofs are compared. Null skips the check. */
  readonly buildExitTrees: ExitTreeBuilder | null
  /** Share of the batches whose exit trees are built, from 0 to 1; 1 if absent. */
  readonly exitSample?: number
}

/** A batch with its exits and their proofs. */
export interface BatchExits {
  readonly batch: Pick<Batch, "batchNum" | "exitRoot">
  readonly exits: ReadonlyArray<Exit>
}

/** Number of batches whose exit trees are built together. */
export const exitTreesAtOnce = 32

/** Compares the exit roots and the proofs of a sample of batches with their exit trees. */
export const auditExitTrees = (
  { buildExitTrees, exitSample = 1 }: ExitTreeOptions,
  batches: ReadonlyArray<BatchExits>,
  findings: Findings
): Effect.Effect<void> => {
  const sample = batches.filter(({ batch: { batchNum } }) =>
    Math.floor(batchNum * exitSample) > Math.floor((batchNum - 1) * exitSample)
  )
  if (buildExitTrees === null || sample.length === 0) return Effect.void
  const leaves = sample.map(({ exits }) => exits.map(exitLeafOf))
  const audit = Effect.map(buildExitTrees(leaves), (trees) => {
    for (const [i, { proofs, root }] of (trees ?? []).entries()) {
      const { batch: { batchNum, exitRoot }, exits } = sample[i]!
      findings.checked("exit-proofs", exits.length)
      findings.same("exit-proofs", `batch ${batchNum}, exitRoot`, exitRoot, root)
      for (const [position, exit] of exits.entries()) {
        const [stored, expected] = [exit.merkleProof, proofs[position]!].map(membersOf)
        findings.sameMembers("exit-proofs", () => locationOfExit(exit), stored!, expected!)
      }
    }
  })
  const location = `exit trees from batch ${sample[0]!.batch.batchNum} on`
  return reportDefects("exit-proofs", location, audit, findings)
}

/** Returns the members of a proof except the old leaf, which is checked with the exit. */
const membersOf = ({ fnc, key, root, siblings, value }: MerkleProof) => ({
  fnc,
  key,
  root,
  siblings: siblings.join(", "),
  value
})
