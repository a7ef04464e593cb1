import { bytesOfHex, hexOfBytes } from "./digits.ts"
import type { Keccak256 } from "./identifiers.ts"
import type { TransactionId } from "./transaction_id.ts"

/**
 * `0x` and 64 lower-case hexadecimal digits: a hash of the ids of the transactions of a group
 * (PROTOCOL.md "Group id").
 */
export type GroupId = string

/**
 * Returns the id of an atomic group: the Keccak-256 hash of the ids of its transactions, each 33
 * bytes, in order.
 *
 * @example
 * ```ts
 * import { groupId } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const ids = [`0x02${"a".repeat(64)}`, `0x02${"b".repeat(64)}`]
 * console.log(groupId(ids, keccak256).length) // => 66
 * console.log(groupId(ids, keccak256) === groupId(ids.reverse(), keccak256)) // => false
 * ```
 */
export function groupId(ids: ReadonlyArray<TransactionId>, keccak256: Keccak256): GroupId {
  const bytes = bytesOfHex(ids.map((id) => id.slice(2)).join(""))
  return `0x${hexOfBytes(keccak256(bytes))}`
}
