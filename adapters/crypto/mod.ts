export {
  compressPoint,
  type CurvePoint,
  decompressPublicKey,
  derivePublicKey,
  isInPrimeSubgroup,
  isSigningKey
} from "./babyjubjub.ts"
export { keccak256 } from "../hashing/mod.ts"
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
export { signMessage } from "./signing.ts"
export { authorizationDigest, ethereumAddress, signAuthorization } from "./signing_authorization.ts"
export { type SignableTransaction, signTransaction, transactionElements, transactionHash } from "./signing_transaction.ts"
