import {
  type EthereumAddress,
  leafKey,
  type PublicKey,
  publicKeyParts
} from "../../core/encoding/mod.ts"
import { poseidon } from "./poseidon.ts"
import { babyjubjub } from "@noble/curves/misc.js"
import type { Exit, MerkleProof } from "../../core/domain/mod.ts"

/** The hashed fields of an account. In an exit leaf, `balance` is the exit amount and `nonce` 0. */
export interface LeafAccount {
  /** 0..2^32−1 */
  readonly tokenId: number
  /** 0..2^40−1 */
  readonly nonce: bigint
  /** Units of the token, 0..2^192−1. */
  readonly balance: bigint
  readonly publicKey: PublicKey
  readonly address: EthereumAddress
}

/**
 * Returns the hash of an account, the value of its leaf in the state tree (PROTOCOL.md "State tree").
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { accountLeaf, poseidon } from "rollup-node-api/crypto"
 *
 * const owner = { publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const leaf = accountLeaf({ tokenId: 3, nonce: 1n, balance: 500n, ...owner })
 * console.log(leaf === poseidon([(1n << 32n) + 3n, 500n, 0n, 0n])) // => true
 * ```
 */
export function accountLeaf({ tokenId, nonce, balance, publicKey, address }: LeafAccount): bigint {
  const { y, sign } = publicKeyParts(leafKey(publicKey))
  const packed = (sign ? SIGN_BIT : 0n) | (nonce << 32n) | BigInt(tokenId)
  return poseidon([packed, balance, y, BigInt(address)])
}

const SIGN_BIT = 1n << 72n

/** Maximum number of levels of a tree: a path has the 48 bits of an account index. */
export const DEPTH_MAX = 48

/** The fields of an exit that its proof covers, and the proof. */
export type ProvenExit = Pick<
  Exit,
  "accountIndex" | "tokenId" | "balance" | "publicKey" | "address" | "merkleProof"
>

/**
 * Returns whether the siblings lead from the leaf to the root. Every number has to be a reduced
 * field element; zeros at the end of the siblings are padding.
 *
 * @example
 * ```ts
 * import { merkleTree, verifyInclusion } from "rollup-node-api/crypto"
 *
 * const proof = merkleTree([{ index: 256, leaf: 11n }, { index: 257, leaf: 12n }]).proof(256)!
 * console.log(verifyInclusion(proof)) // => true
 * console.log(verifyInclusion({ ...proof, value: 12n })) // => false
 * ```
 */
export function verifyInclusion(
  { root, key, value, siblings }: Pick<MerkleProof, "root" | "key" | "value" | "siblings">
): boolean {
  let depth = siblings.length
  while (depth > 0 && siblings[depth - 1] === 0n) depth--
  if (key < 0n || depth > DEPTH_MAX || key >> BigInt(DEPTH_MAX) > 0n) return false
  if (!Fp.isValid(value) || !siblings.every((sibling) => Fp.isValid(sibling))) return false
  let hash = leafNode(key, value)
  for (let level = depth - 1; level >= 0; level--) {
    const sibling = siblings[level]!
    hash = (key >> BigInt(level)) & 1n ? poseidon([sibling, hash]) : poseidon([hash, sibling])
  }
  return hash === root
}

/**
 * Returns whether the proof of an exit is for this account, token, owner and balance, and leads to
 * the exit root of its batch. It computes the leaf again and compares it with the value in the
 * proof.
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { accountLeaf, merkleTree, verifyExitProof } from "rollup-node-api/crypto"
 *
 * const owned = { tokenId: 0, balance: 9n, publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const tree = merkleTree([{ index: 256, leaf: accountLeaf({ ...owned, nonce: 0n }) }])
 * const exit = { accountIndex: 256, ...owned, merkleProof: tree.proof(256)! }
 * console.log(verifyExitProof(exit, tree.root)) // => true
 * console.log(verifyExitProof({ ...exit, balance: 10n }, tree.root)) // => false
 * ```
 */
export function verifyExitProof(
  { accountIndex, merkleProof, ...owned }: ProvenExit,
  exitRoot: bigint
): boolean {
  return merkleProof.fnc === 0 && merkleProof.root === exitRoot &&
    merkleProof.key === BigInt(accountIndex) &&
    merkleProof.value === accountLeaf({ ...owned, nonce: 0n }) && verifyInclusion(merkleProof)
}

/** Returns the hash of a leaf node from its key and value. */
export function leafNode(key: bigint, value: bigint): bigint {
  return poseidon([key, value, 1n])
}

const { Fp } = babyjubjub.Point
