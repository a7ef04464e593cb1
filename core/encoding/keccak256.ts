/** The 32-byte Keccak-256 digest of bytes; passed in, because the core carries no cryptography of its own. */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array
