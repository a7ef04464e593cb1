import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { Keccak256 } from "../../core/encoding/mod.ts"

/** The maximum number of cached digests; the cache is cleared beyond it. */
const KEPT_MAX = 50_000

const digests = new Map<string, Uint8Array>()

/**
 * Keccak-256 with a cache for tests, in which a node and its model hash the same values, and
 * networks are made from the same seeds.
 */
export const rememberedKeccak256: Keccak256 = (bytes) => {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
  let digest = digests.get(key)
  if (digest === undefined) {
    if (digests.size >= KEPT_MAX) digests.clear()
    digests.set(key, digest = keccak256(bytes))
  }
  return digest
}
