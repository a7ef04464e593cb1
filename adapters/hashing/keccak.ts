import { keccak_256 } from "@noble/hashes/sha3.js"

/** The 32-byte Keccak-256 digest (the hash of Ethereum, not SHA3-256). */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
