import { type AccountIndex, addressNumber, type EthereumAddress, type PublicKey, publicKeyParts } from "../../core/encoding/mod.ts"
import { poseidon } from "./poseidon.ts"

/** What the leaf of an account covers; for an exit leaf the balance is the exit amount and the nonce 0. */
export interface LeafAccount {
  /** 0..2^32−1 */
  readonly tokenId: number
  /** 0..2^40−1 */
  readonly nonce: bigint
  /** 0..2^192−1 */
  readonly balance: bigint
  readonly publicKey: PublicKey
  readonly address: EthereumAddress
}

/** A leaf hash and the account index it is kept under. */
export interface IndexedLeaf {
  readonly index: AccountIndex
  readonly leaf: bigint
}

/** Proof that `value` is kept under `key`, in the form on-chain verifiers take: siblings from the root downwards, no zeros at the end. */
export interface InclusionProof {
  readonly root: bigint
  readonly siblings: ReadonlyArray<bigint>
  readonly oldKey: bigint
  readonly oldValue: bigint
  readonly isOld0: boolean
  readonly key: bigint
  readonly value: bigint
  readonly fnc: 0
}

/** A sparse binary Merkle tree that does not change any more. */
export interface MerkleTree {
  /** 0 when the tree is empty. */
  readonly root: bigint
  /** Undefined when nothing is kept under the index. */
  readonly proof: (index: AccountIndex) => InclusionProof | undefined
}

/** The hash of an account's state. */
export function accountLeaf({ tokenId, nonce, balance, publicKey, address }: LeafAccount): bigint {
  const { y, sign } = publicKeyParts(publicKey)
  const packed = (sign ? SIGN_BIT : 0n) | (nonce << 32n) | BigInt(tokenId)
  return poseidon([packed, balance, y, addressNumber(address)])
}

/**
 * Builds a state or exit tree: a path follows the index bit by bit, the least significant one at the root, and a leaf sits as high as it
 * is alone. Throws a RangeError when an index comes twice or is not 0..2^48−1.
 */
export function merkleTree(leaves: ReadonlyArray<IndexedLeaf>): MerkleTree {
  for (const { index } of leaves) {
    if (!Number.isInteger(index) || index < 0 || index >= 2 ** DEPTH_MAX) throw new RangeError(`Index ${index}, expected 0..2^48-1`)
  }
  const top = build(leaves, 0)
  const root = hashOf(top)
  return { root, proof: (index) => prove(top, root, index) }
}

/** Whether the siblings lead from the leaf to the root; zeros at the end of the siblings are padding. */
export function verifyInclusion(
  { root, key, value, siblings }: Pick<InclusionProof, "root" | "key" | "value" | "siblings">
): boolean {
  let depth = siblings.length
  while (depth > 0 && siblings[depth - 1] === 0n) depth--
  if (key < 0n || depth > DEPTH_MAX || key >> BigInt(DEPTH_MAX) > 0n) return false
  let hash = poseidon([key, value, 1n])
  for (let level = depth - 1; level >= 0; level--) {
    const sibling = siblings[level]!
    hash = (key >> BigInt(level)) & 1n ? poseidon([sibling, hash]) : poseidon([hash, sibling])
  }
  return hash === root
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

const SIGN_BIT = 1n << 72n
const DEPTH_MAX = 48

function build(leaves: ReadonlyArray<IndexedLeaf>, level: number): Node {
  const [first] = leaves
  if (first === undefined) return undefined
  if (leaves.length === 1) return { ...first, hash: poseidon([BigInt(first.index), first.leaf, 1n]) }
  if (level === DEPTH_MAX) throw new RangeError(`Index ${first.index} comes ${leaves.length} times, expected once`)
  const left = build(leaves.filter(({ index }) => !isRight(index, level)), level + 1)
  const right = build(leaves.filter(({ index }) => isRight(index, level)), level + 1)
  return { left, right, hash: poseidon([hashOf(left), hashOf(right)]) }
}

function prove(top: Node, root: bigint, index: AccountIndex): InclusionProof | undefined {
  const siblings: Array<bigint> = []
  let node = top
  for (let level = 0; node !== undefined && "left" in node; level++) {
    const goesRight = isRight(index, level)
    siblings.push(hashOf(goesRight ? node.left : node.right))
    node = goesRight ? node.right : node.left
  }
  return node === undefined || node.index !== index
    ? undefined
    : { root, siblings, oldKey: 0n, oldValue: 0n, isOld0: false, key: BigInt(index), value: node.leaf, fnc: 0 }
}

function hashOf(node: Node): bigint {
  return node === undefined ? 0n : node.hash
}

/** Division instead of a shift, which would cut the index to 32 bits. */
function isRight(index: AccountIndex, level: number): boolean {
  return Math.floor(index / 2 ** level) % 2 === 1
}
