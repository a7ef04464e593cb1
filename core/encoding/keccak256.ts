/**
 * Returns the 32-byte Keccak-256 digest. It is a parameter, since the core contains no
 * cryptography.
 */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array
