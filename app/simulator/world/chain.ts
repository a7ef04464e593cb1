import * as Hex from "effect/encoding/Hex"
import { keccak256 } from "../../../adapters/crypto/mod.ts"

/** Field elements are below this modulus. */
const FIELD_MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** The hash of a block: another one on every fork. */
export function blockHashOf(seed: string, number: bigint, fork: number): string {
  return `0x${Hex.encode(digestOf(`${seed}/block/${number}/${fork}`))}`
}

/**
 * Stands in for the root of the state tree where the simulator does not keep one: a field element that differs from batch to batch and
 * from fork to fork.
 */
export function placeholderRootOf(blockHash: string, batchNum: number): bigint {
  return BigInt(`0x${Hex.encode(digestOf(`${blockHash}/state/${batchNum}`))}`) % FIELD_MODULUS
}

/** 32 bytes that nobody can tell from chance. */
export function digestOf(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}
