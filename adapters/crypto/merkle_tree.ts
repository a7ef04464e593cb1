import type { MerkleProof } from "../../core/domain/mod.ts"
import { type AccountIndex, inclusionOldLeaf } from "../../core/encoding/mod.ts"
import { DEPTH_MAX, leafNode } from "./inclusion_proof.ts"
import { poseidon } from "./poseidon.ts"

/** The value of a leaf, and the account index that is its key. */
export interface IndexedLeaf {
  readonly index: AccountIndex
  readonly leaf: bigint
}

/**
 * An immutable sparse binary Merkle tree of states or exits. An update returns a new tree that
 * shares the unchanged nodes: retain the tree of a version to be able to roll back to it.
 */
export interface MerkleTree {
  /** 0 if the tree is empty. */
  readonly root: bigint
  /** Returns the proof of the leaf, or undefined if the tree has none at the index. */
  readonly proof: (index: AccountIndex) => MerkleProof | undefined
  /**
   * Returns the tree with these leaves inserted or replaced, in any order. Each node above them is
   * hashed once. Throws a RangeError if an index occurs twice or is not in 0..2^48−1.
   */
  readonly update: (changes: ReadonlyArray<IndexedLeaf>) => MerkleTree
}

/**
 * Returns the tree of these leaves; its root is 0 without any. Throws as `MerkleTree.update` does.
 *
 * @example
 * ```ts
 * import { merkleTree, verifyInclusion } from "rollup-node-api/crypto"
 *
 * const tree = merkleTree([{ index: 256, leaf: 11n }, { index: 257, leaf: 12n }])
 * const proof = tree.proof(257)!
 * console.log(verifyInclusion(proof), proof.siblings.length) // => true 1
 *
 * const changed = tree.update([{ index: 256, leaf: 13n }])
 * console.log(changed.root === tree.root, changed.proof(257)?.value) // => false 12n
 * ```
 */
export function merkleTree(leaves: ReadonlyArray<IndexedLeaf>): MerkleTree {
  return emptyTree.update(leaves)
}

/** Undefined is the empty subtree with the hash 0. */
type Node = Leaf | Inner | undefined

interface Leaf extends IndexedLeaf {
  readonly hash: bigint
}

interface Inner {
  readonly left: Node
  readonly right: Node
  readonly hash: bigint
}

function treeFrom(top: Node): MerkleTree {
  const root = hashOf(top)
  return {
    root,
    proof: (index) => prove(top, root, index),
    update: (changes) => {
      const indexes = new Set(changes.map(({ index }) => index))
      for (const index of indexes) {
        if (!Number.isInteger(index) || index < 0 || index >= 2 ** DEPTH_MAX) {
          throw new RangeError(`Index ${index}, expected 0..2^48-1`)
        }
      }
      if (indexes.size < changes.length) {
        throw new RangeError(
          `${changes.length} leaves with ${indexes.size} indexes, expected one for each`
        )
      }
      // copy the two fields: a leaf with a `hash` is taken for a node of this tree
      return treeFrom(insert(top, changes.map(({ index, leaf }) => ({ index, leaf })), 0))
    }
  }
}

/**
 * Returns the node with the changes applied. A path follows the bits of the index, the least
 * significant one at the root, and a leaf is at the top of the subtree in which it is the only one.
 * If changes pass an existing leaf, it moves down with them, and its hash stays.
 */
function insert(node: Node, changes: ReadonlyArray<IndexedLeaf>, level: number): Node {
  const [first] = changes
  if (first === undefined) return node
  if (node !== undefined && "left" in node) return split(node, changes, level)
  if (node !== undefined && changes.every(({ index }) => index !== node.index)) {
    return split(undefined, [...changes, node], level)
  }
  return changes.length === 1 ? leafWith(first, node) : split(undefined, changes, level)
}

function split(node: Inner | undefined, changes: ReadonlyArray<IndexedLeaf>, level: number): Inner {
  const left = insert(node?.left, changes.filter(({ index }) => !isRight(index, level)), level + 1)
  const right = insert(node?.right, changes.filter(({ index }) => isRight(index, level)), level + 1)
  return node !== undefined && left === node.left && right === node.right
    ? node
    : { left, right, hash: poseidon([hashOf(left), hashOf(right)]) }
}

function leafWith(change: IndexedLeaf | Leaf, node: Leaf | undefined): Leaf {
  if (node?.leaf === change.leaf) return node
  return "hash" in change
    ? change
    : { index: change.index, leaf: change.leaf, hash: leafNode(BigInt(change.index), change.leaf) }
}

function prove(top: Node, root: bigint, index: AccountIndex): MerkleProof | undefined {
  const siblings: Array<bigint> = []
  let node = top
  for (let level = 0; node !== undefined && "left" in node; level++) {
    const goesRight = isRight(index, level)
    siblings.push(hashOf(goesRight ? node.left : node.right))
    node = goesRight ? node.right : node.left
  }
  return node === undefined || node.index !== index
    ? undefined
    : {
      root,
      siblings,
      ...inclusionOldLeaf,
      key: BigInt(index),
      value: node.leaf,
      fnc: 0
    }
}

function hashOf(node: Node): bigint {
  return node === undefined ? 0n : node.hash
}

/** It divides, since a shift would truncate the index to 32 bits. */
function isRight(index: AccountIndex, level: number): boolean {
  return Math.floor(index / 2 ** level) % 2 === 1
}

/**
 * Returns the position of a leaf in the tree from left to right. Neighbours share most of the nodes
 * above them: a tree that is built in steps of neighbours takes few more hashes than one update.
 */
export function treePosition(index: AccountIndex): number {
  let reversed = 0
  for (let rest = index, bit = 2 ** (DEPTH_MAX - 1); rest > 0; bit /= 2) {
    reversed += (rest % 2) * bit
    rest = Math.floor(rest / 2)
  }
  return reversed
}

const emptyTree = treeFrom(undefined)
