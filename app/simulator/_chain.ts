import { keccak256 } from "../../adapters/crypto/mod.ts"

/** Field elements are below this modulus. */
const FIELD_MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** The hash of a block: another one on every fork. */
export function hashOf(seed: string, number: bigint, fork: number): string {
  return `0x${Buffer.from(keccak256(new TextEncoder().encode(`${seed}/block/${number}/${fork}`))).toString("hex")}`
}

/**
 * Stands in for the root of the state tree, which the simulator does not keep: a field element that differs from batch to batch and
 * from fork to fork.
 */
export function stateRootOf(blockHash: string, batchNum: number): bigint {
  const digest = keccak256(new TextEncoder().encode(`${blockHash}/state/${batchNum}`))
  return BigInt(`0x${Buffer.from(digest).toString("hex")}`) % FIELD_MODULUS
}
