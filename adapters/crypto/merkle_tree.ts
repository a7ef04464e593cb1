import type { MerkleProof } from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import { DEPTH_MAX, leafNode } from "./inclusion_proof.ts"
import { poseidon } from "./poseidon.ts"

/** A leaf hash and the account index it is kept under. */
export interface IndexedLeaf {
  readonly index: AccountIndex
  readonly leaf: bigint
}

/**
 * A sparse binary Merkle tree of states or exits that does not change: an update makes another one that shares what stayed the same, so
 * that an older version costs nothing to keep and a rollback is to take it up again.
 */
export interface MerkleTree {
  /** 0 when the tree is empty. */
  readonly root: bigint
  /** Undefined when nothing is kept under the index. */
  readonly proof: (index: AccountIndex) => MerkleProof | undefined
  /**
   * The tree with these leaves put in or replaced, in any order; each node above them is hashed once. Throws a RangeError when an index
   * comes twice or is not 0..2^48−1.
   */
  readonly update: (changes: ReadonlyArray<IndexedLeaf>) => MerkleTree
}

/** The tree of these leaves, from nothing. */
export function merkleTree(leaves: ReadonlyArray<IndexedLeaf>): MerkleTree {
  return emptyTree.update(leaves)
}

/** Undefined is the empty subtree, whose hash is 0. */
type Node = Leaf | Inner | undefined

interface Leaf extends IndexedLeaf {
  readonly hash: bigint
}

interface Inner {
  readonly left: Node
  readonly right: Node
  readonly hash: bigint
}

function treeOf(top: Node): MerkleTree {
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
      // only what is named: a leaf that brings its hash along is one of ours
      return treeOf(put(top, changes.map(({ index, leaf }) => ({ index, leaf })), 0))
    }
  }
}

/**
 * A path follows the index bit by bit, the least significant one at the root, and a leaf sits as high as it is alone. A leaf in the way
 * moves down, hash and all, with the changes that go past it.
 */
function put(node: Node, changes: ReadonlyArray<IndexedLeaf>, level: number): Node {
  const [first] = changes
  if (first === undefined) return node
  if (node !== undefined && "left" in node) return split(node, changes, level)
  if (node !== undefined && changes.every(({ index }) => index !== node.index)) {
    return split(undefined, [...changes, node], level)
  }
  return changes.length === 1 ? place(first, node) : split(undefined, changes, level)
}

function split(node: Inner | undefined, changes: ReadonlyArray<IndexedLeaf>, level: number): Inner {
  const left = put(node?.left, changes.filter(({ index }) => !isRight(index, level)), level + 1)
  const right = put(node?.right, changes.filter(({ index }) => isRight(index, level)), level + 1)
  return node !== undefined && left === node.left && right === node.right
    ? node
    : { left, right, hash: poseidon([hashOf(left), hashOf(right)]) }
}

function place(change: IndexedLeaf | Leaf, node: Leaf | undefined): Leaf {
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
      oldKey: 0n,
      oldValue: 0n,
      isOld0: false,
      key: BigInt(index),
      value: node.leaf,
      fnc: 0
    }
}

function hashOf(node: Node): bigint {
  return node === undefined ? 0n : node.hash
}

/** Division instead of a shift, which would cut the index to 32 bits. */
function isRight(index: AccountIndex, level: number): boolean {
  return Math.floor(index / 2 ** level) % 2 === 1
}

/** Nothing is kept; its root is 0. */
export const emptyTree: MerkleTree = treeOf(undefined)
