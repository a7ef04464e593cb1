export {
  compressPoint,
  type CurvePoint,
  decompressPublicKey,
  derivePublicKey,
  isInPrimeSubgroup,
  isSigningKey
} from "./babyjubjub.ts"
export { keccak256 } from "./keccak.ts"
export {
  accountLeaf,
  type InclusionProof,
  type IndexedLeaf,
  type LeafAccount,
  type MerkleTree,
  merkleTree,
  verifyInclusion
} from "./merkle_tree.ts"
export { poseidon } from "./poseidon.ts"
