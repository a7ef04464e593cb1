export { accountLeaf, type LeafAccount } from "./account_leaf.ts"
export {
  authorizationDigest,
  ethereumAddress,
  signAuthorization,
  verifyAuthorization
} from "./authorization_signature.ts"
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
export { inlineVerifier } from "./inline_verifier.ts"
export { emptyTree, type IndexedLeaf, type MerkleTree, merkleTree } from "./merkle_tree.ts"
export { signerOf, signMessage, verifyMessage } from "./message_signature.ts"
export { poseidon } from "./poseidon.ts"
export {
  type SignableTransaction,
  signTransaction,
  transactionElements,
  transactionHash,
  verifyTransaction
} from "./transaction_signature.ts"
