import { keccak_256 } from "@noble/hashes/sha3.js"

/* Keccak-256 without the curves of `adapters/crypto`, which a node can start without. */

/**
 * Returns the 32-byte Keccak-256 digest: the hash of Ethereum, not SHA3-256.
 *
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const digest = keccak256(new TextEncoder().encode("Transfer(address,address,uint256)"))
 * console.log(Buffer.from(digest.subarray(0, 4)).toString("hex")) // => ddf252ad
 * ```
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
