import { type Effect, Result } from "effect"
import type { BlockChanges, BlockFeed, Exit, MerkleProof } from "../../domain/mod.ts"
import {
  type BlockViolation,
  makeViolation,
  violationOfBlock,
  violationWithin
} from "../violation/mod.ts"
import { unknownProof } from "./_exits.ts"

/** The fields of an exit from which its leaf in the exit tree is computed. */
export type ExitLeaf = Pick<
  Exit,
  "accountIndex" | "tokenId" | "balance" | "publicKey" | "address"
>

/** The exit tree of a batch. */
export interface ExitTree {
  readonly root: bigint
  /** The proof of each leaf, in the order of the leaves. */
  readonly proofs: ReadonlyArray<MerkleProof>
}

/** Returns the exit tree of a batch. It hashes in the calling thread. */
export type BuildExitTree = (leaves: ReadonlyArray<ExitLeaf>) => ExitTree

/**
 * Returns the exit tree of each batch, given its leaves; null if the hash function is not available
 * here.
 */
export type ExitTreeBuilder = (
  batches: ReadonlyArray<ReadonlyArray<ExitLeaf>>
) => Effect.Effect<ReadonlyArray<ExitTree> | null>

/** Returns the leaves of each batch that has an exit without a proof in the feed. */
export const unprovenBatches = (
  { batches }: BlockChanges
): ReadonlyArray<ReadonlyArray<ExitLeaf>> =>
  batches.flatMap(({ exits }) => exits.some(isUnproven) ? [exits.map(leafOf)] : [])

const isUnproven = ({ merkleProof }: Pick<Exit, "merkleProof">): boolean =>
  merkleProof === unknownProof

const leafOf = ({ accountIndex, address, balance, publicKey, tokenId }: ExitLeaf): ExitLeaf => ({
  accountIndex,
  tokenId,
  balance,
  publicKey,
  address
})

/**
 * Returns the changes with all proofs. `trees` are those of `unprovenBatches`. Fails if the root of
 * a tree is not the exit root of its batch.
 */
export function withExitTrees(
  block: BlockFeed,
  changes: BlockChanges,
  trees: ReadonlyArray<ExitTree>
): Result.Result<BlockChanges, BlockViolation> {
  let next = 0
  const batches: Array<BlockChanges["batches"][number]> = []
  for (const [position, batch] of changes.batches.entries()) {
    if (!batch.exits.some(isUnproven)) {
      batches.push(batch)
      continue
    }
    const { proofs, root } = trees[next++]!
    const { exitRoot } = batch.batch
    if (root !== exitRoot) {
      const expected = `${root}, the root of the tree of the ${proofs.length} exits of the batch`
      return Result.fail(
        violationAt(block, position, makeViolation("exit-root", exitRoot, expected, "/exitRoot"))
      )
    }
    const exits = batch.exits.map((exit, leaf) =>
      isUnproven(exit) ? { ...exit, merkleProof: proofs[leaf]! } : exit
    )
    batches.push({ ...batch, exits })
  }
  return Result.succeed({ ...changes, batches })
}

/** Returns the violation of a block with exits without a proof, if no exit tree can be built. */
export function noExitTree(block: BlockFeed, changes: BlockChanges): BlockViolation {
  const position = changes.batches.findIndex(({ exits }) => exits.some(isUnproven))
  const exit = changes.batches[position]!.exits.findIndex(isUnproven)
  const pointer = block.batches![position]!.exits === undefined
    ? "/exits"
    : `/exits/${exit}/merkleProof`
  const expected = "exits with their proofs, because this ledger has no builder of exit trees"
  return violationAt(block, position, makeViolation("exit-proof", null, expected, pointer))
}

const violationAt = (
  { number }: BlockFeed,
  position: number,
  violation: BlockViolation
): BlockViolation => violationOfBlock(number, violationWithin(violation, `/batches/${position}`))
