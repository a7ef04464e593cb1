import * as Hex from "effect/encoding/Hex"
import { keccak256 } from "../../../adapters/crypto/mod.ts"

/** The modulus of the field: all field elements are less. */
const FIELD_MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** Returns the hash of a block, which differs on every fork. */
export function blockHashOf(seed: string, number: bigint, fork: number): string {
  return `0x${Hex.encode(digestOf(`${seed}/block/${number}/${fork}`))}`
}

/**
 * Returns a placeholder for the root of the state tree: a field element that differs for each batch
 * and each fork.
 */
export function placeholderRootOf(blockHash: string, batchNum: number): bigint {
  return BigInt(`0x${Hex.encode(digestOf(`${blockHash}/state/${batchNum}`))}`) % FIELD_MODULUS
}

/** Returns 32 pseudorandom bytes that depend only on the text. */
export function digestOf(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}
