export { accessKey, accessMessage, accessSigner, signAccessMessage } from "./access_key.ts"
export {
  accountLeaf,
  type LeafAccount,
  type ProvenExit,
  verifyExitProof,
  verifyInclusion
} from "./inclusion_proof.ts"
export {
  type AuthorizationTypedData,
  authorizationTypedData,
  ethereumAddress,
  signAuthorization,
  type SigningNetwork,
  verifyAuthorization
} from "./authorization_signature.ts"
export { derivePublicKey, isSigningKey } from "./babyjubjub.ts"
export { exitTree, exitTreeSteps } from "./exit_tree.ts"
export { keccak256 } from "../hashing/mod.ts"
export { inlineVerifier } from "./inline_verifier.ts"
export { type IndexedLeaf, type MerkleTree, merkleTree } from "./merkle_tree.ts"
export { signerOf, verifyMessage } from "./message_signature.ts"
export { poseidon } from "./poseidon.ts"
export { StateTrees } from "./state_trees.ts"
export {
  type SignableTransaction,
  signTransaction,
  transactionHash,
  verifyTransaction
} from "./transaction_signature.ts"
