import { type Effect, Result, Struct } from "effect"
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

/** Returns the leaves of each batch that has exits. */
export const exitLeaves = ({ batches }: BlockChanges): ReadonlyArray<ReadonlyArray<ExitLeaf>> =>
  batches.flatMap(({ exits }) => exits.length > 0 ? [exits.map(exitLeafOf)] : [])

/** Returns whether an exit has no proof in the feed, so that it cannot be stored without its tree. */
export const lacksProofs = ({ batches }: BlockChanges): boolean =>
  batches.some(({ exits }) => exits.some(isUnproven))

const isUnproven = ({ merkleProof }: Pick<Exit, "merkleProof">): boolean =>
  merkleProof === unknownProof

/** Returns the fields of an exit that its leaf contains. */
export const exitLeafOf = (exit: ExitLeaf): ExitLeaf =>
  Struct.pick(exit, ["accountIndex", "tokenId", "balance", "publicKey", "address"])

type Batch = BlockChanges["batches"][number]

/**
 * Returns the changes with all proofs. `trees` are those of `exitLeaves`. Fails if the root of a tree
 * is not the exit root of its batch, or if the feed has another proof of an exit.
 */
export function withExitTrees(
  block: BlockFeed,
  changes: BlockChanges,
  trees: ReadonlyArray<ExitTree>
): Result.Result<BlockChanges, BlockViolation> {
  let next = 0
  const batches: Array<Batch> = []
  for (const [position, batch] of changes.batches.entries()) {
    if (batch.exits.length === 0) {
      batches.push(batch)
      continue
    }
    const tree = trees[next++]!
    const violation = wrongRoot(batch, tree) ?? wrongProof(batch, tree)
    if (violation !== undefined) return Result.fail(violationAt(block, position, violation))
    const exits = batch.exits.map((exit, leaf) =>
      isUnproven(exit) ? { ...exit, merkleProof: tree.proofs[leaf]! } : exit
    )
    batches.push({ ...batch, exits })
  }
  return Result.succeed({ ...changes, batches })
}

const wrongRoot = (
  { batch: { exitRoot } }: Batch,
  { proofs, root }: ExitTree
): BlockViolation | undefined =>
  root === exitRoot
    ? undefined
    : makeViolation(
      "exit-root",
      exitRoot,
      `${root}, the root of the tree of the ${proofs.length} exits of the batch`,
      "/exitRoot"
    )

/** Compares the proofs of the feed with those of the tree. Their other members were checked before. */
function wrongProof({ exits }: Batch, { proofs }: ExitTree): BlockViolation | undefined {
  for (const [position, exit] of exits.entries()) {
    if (isUnproven(exit)) continue
    const pointer = `/exits/${position}/merkleProof`
    const { siblings, value } = exit.merkleProof
    const tree = proofs[position]!
    if (value !== tree.value) {
      const expected = `${tree.value}, the leaf of account ${exit.accountIndex}`
      return makeViolation("exit-proof", value, expected, `${pointer}/value`)
    }
    const levels = Math.max(siblings.length, tree.siblings.length)
    for (let level = 0; level < levels; level++) {
      const [declared, sibling] = [siblings[level] ?? 0n, tree.siblings[level] ?? 0n]
      if (declared !== sibling) {
        const expected = `${sibling}, the sibling of account ${exit.accountIndex} at this level`
        return makeViolation("exit-proof", declared, expected, `${pointer}/siblings/${level}`)
      }
    }
  }
  return undefined
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

/** Returns a violation within a batch as one of its block. */
export const violationAt = (
  { number }: BlockFeed,
  position: number,
  violation: BlockViolation
): BlockViolation => violationOfBlock(number, violationWithin(violation, `/batches/${position}`))
