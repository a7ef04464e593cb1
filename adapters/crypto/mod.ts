export { accountLeaf, type LeafAccount } from "./account_leaf.ts"
export {
  compressPoint,
  type CurvePoint,
  decompressPublicKey,
  derivePublicKey,
  isInPrimeSubgroup,
  isSigningKey
} from "./babyjubjub.ts"
export { keccak256 } from "../hashing/mod.ts"
export { type ProvenExit, verifyExitProof, verifyInclusion } from "./inclusion_proof.ts"
export { emptyTree, type IndexedLeaf, type MerkleTree, merkleTree } from "./merkle_tree.ts"
export { poseidon } from "./poseidon.ts"
export { signerOf, signMessage } from "./signing.ts"
export { authorizationDigest, ethereumAddress, signAuthorization } from "./signing_authorization.ts"
export {
  type SignableTransaction,
  signTransaction,
  transactionElements,
  transactionHash
} from "./signing_transaction.ts"
export { verifierInPlace } from "./verifier_in_place.ts"
export { verifyMessage } from "./verifying.ts"
export { verifyAuthorization } from "./verifying_authorization.ts"
export { verifyTransaction } from "./verifying_transaction.ts"
