import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { FIELD_ORDER, hexOfBytes } from "../../../core/encoding/mod.ts"

/** Returns the hash of a block, which differs on every fork. */
export function blockHashOf(seed: string, number: bigint, fork: number): string {
  return `0x${hexOfBytes(digestOf(`${seed}/block/${number}/${fork}`))}`
}

/**
 * Returns a placeholder for the root of the state tree: a field element that differs for each batch
 * and each fork.
 */
export function placeholderRootOf(blockHash: string, batchNum: number): bigint {
  return BigInt(`0x${hexOfBytes(digestOf(`${blockHash}/state/${batchNum}`))}`) % FIELD_ORDER
}

/** Returns 32 pseudorandom bytes that depend only on the text. */
export function digestOf(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}
