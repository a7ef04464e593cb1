import type { ExitLeaf, ExitTree } from "../../core/use_cases/mod.ts"
import { accountLeaf } from "./inclusion_proof.ts"
import { type IndexedLeaf, type MerkleTree, merkleTree, treePosition } from "./merkle_tree.ts"

/**
 * Returns the exit tree of a batch (PROTOCOL.md "Exit tree"): its root, which is 0 without leaves, and
 * the proof of each leaf. Throws a RangeError if an account occurs twice.
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { exitTree, verifyExitProof } from "rollup-node-api/crypto"
 *
 * const owned = { tokenId: 0, balance: 9n, publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const leaves = [{ accountIndex: 256, ...owned }, { accountIndex: 257, ...owned }]
 * const { proofs, root } = exitTree(leaves)
 * console.log(verifyExitProof({ ...leaves[1]!, merkleProof: proofs[1]! }, root)) // => true
 * console.log(exitTree([]).root) // => 0n
 * ```
 */
export function exitTree(leaves: ReadonlyArray<ExitLeaf>): ExitTree {
  return withProofs(merkleTree(leaves.map(leafOf)), leaves)
}

/**
 * Builds the tree of `exitTree`, and yields after some leaves, about ten milliseconds, so that the
 * caller can run other work in between. The leaves must be of different accounts.
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { exitTree, exitTreeSteps } from "rollup-node-api/crypto"
 *
 * const owned = { tokenId: 0, balance: 9n, publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const leaves = Array.from({ length: 20 }, (_, i) => ({ accountIndex: 256 + i, ...owned }))
 * const steps = exitTreeSteps(leaves)
 * let step = steps.next()
 * while (step.done !== true) step = steps.next()
 * console.log(step.value.root === exitTree(leaves).root) // => true
 * ```
 */
export function* exitTreeSteps(leaves: ReadonlyArray<ExitLeaf>): Generator<void, ExitTree> {
  const ordered = leaves.toSorted((a, b) =>
    treePosition(a.accountIndex) - treePosition(b.accountIndex)
  )
  let tree = merkleTree([])
  for (let start = 0; start < ordered.length; start += LEAVES_PER_STEP) {
    if (start > 0) yield
    tree = tree.update(ordered.slice(start, start + LEAVES_PER_STEP).map(leafOf))
  }
  return withProofs(tree, leaves)
}

/** Number of leaves added per step. */
const LEAVES_PER_STEP = 8

const withProofs = (tree: MerkleTree, leaves: ReadonlyArray<ExitLeaf>): ExitTree => ({
  root: tree.root,
  // the tree has a leaf of each account
  proofs: leaves.map(({ accountIndex }) => tree.proof(accountIndex)!)
})

const leafOf = (
  { accountIndex, address, balance, publicKey, tokenId }: ExitLeaf
): IndexedLeaf => ({
  index: accountIndex,
  leaf: accountLeaf({ tokenId, nonce: 0n, balance, publicKey, address })
})
