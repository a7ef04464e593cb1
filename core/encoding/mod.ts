export {
  ACCOUNT_INDEX_MAX,
  type AccountIndex,
  EXIT_ACCOUNT,
  FIRST_USER_ACCOUNT,
  formatAccountIndex,
  isUserAccount,
  NO_ACCOUNT,
  parseAccountIndex,
  symbolOfAccountIndex,
  checksumAddress,
  type EthereumAddress,
  formatPrefixedAddress,
  INTERNAL_ADDRESS,
  parseEthereumAddress,
  parsePrefixedAddress,
  ZERO_ADDRESS,
  type Keccak256
} from "./identifiers.ts"
export {
  EMPTY_PUBLIC_KEY,
  keysOfLeaf,
  leafKey,
  formatPublicKey,
  parsePublicKey,
  type PublicKey,
  publicKeyFromBigEndianHex,
  publicKeyFromParts,
  type PublicKeyParts,
  publicKeyParts,
  publicKeyToBigEndianHex
} from "./public_key.ts"
export { FIELD_ORDER, inclusionOldLeaf, isFieldElement } from "./field.ts"
export { EncodingError } from "./encoding_error.ts"
export { groupId, type GroupId } from "./group_id.ts"
export { FEE_SELECTOR_MAX, feeAmount, feeFactor, type FeeSelector, selectFee } from "./fee.ts"
export { decodeFloat40, encodeFloat40, type Float40, floorFloat40 } from "./float40.ts"
export { bytesOfHex, hexOfBytes, parseDecimal, parseDecimalNumber } from "./digits.ts"
export {
  l1CoordinatorTransactionId,
  l1UserTransactionId,
  l2TransactionId,
  type L2TransactionIdentity,
  parseTransactionId,
  type TransactionId
} from "./transaction_id.ts"
