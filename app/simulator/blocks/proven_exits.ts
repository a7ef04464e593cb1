import { exitTree } from "../../../adapters/crypto/mod.ts"
import type { ExitFeed } from "../../../core/domain/mod.ts"
import type { BatchOutcome } from "../../../core/use_cases/mod.ts"
import { accountOf, type World } from "../world/mod.ts"

/** The exits of a batch with their Merkle proofs, and the root of the exit tree. */
export interface ProvenExits {
  readonly exitRoot: bigint
  readonly exits: ReadonlyArray<ExitFeed>
}

/** Returns the exits of a batch with valid proofs. */
export function provenExits(world: World, exits: BatchOutcome["exits"]): ProvenExits {
  const { proofs, root } = exitTree(
    exits.map((exit) => ({ ...accountOf(world, exit.accountIndex)!, ...exit }))
  )
  return {
    exitRoot: root,
    exits: exits.map(({ accountIndex, balance }, position) => ({
      accountIndex,
      balance,
      merkleProof: proofs[position]!
    }))
  }
}
