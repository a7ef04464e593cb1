import { babyjubjub } from "@noble/curves/misc.js"
import type { Exit, MerkleProof } from "../../core/domain/mod.ts"
import { accountLeaf } from "./account_leaf.ts"
import { poseidon } from "./poseidon.ts"

/** Levels of a tree: a path is the 48 bits of an account index. */
export const DEPTH_MAX = 48

/** An exit as far as its proof speaks of it, and the proof. */
export type ProvenExit = Pick<
  Exit,
  "accountIndex" | "tokenId" | "balance" | "publicKey" | "address" | "merkleProof"
>

/** Whether the siblings, each a field element in its only form, lead from the leaf to the root; zeros at their end are padding. */
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
 * Whether the proof of an exit is one for this account, token, owner and balance, and leads to the exit root of its batch. The leaf is
 * computed anew: what the proof says its value is must be that.
 */
export function verifyExitProof(
  { accountIndex, merkleProof, ...owned }: ProvenExit,
  exitRoot: bigint
): boolean {
  return merkleProof.fnc === 0 && merkleProof.root === exitRoot &&
    merkleProof.key === BigInt(accountIndex) &&
    merkleProof.value === accountLeaf({ ...owned, nonce: 0n }) && verifyInclusion(merkleProof)
}

/** The hash of a leaf where it is kept. */
export function leafNode(key: bigint, value: bigint): bigint {
  return poseidon([key, value, 1n])
}

const { Fp } = babyjubjub.Point
