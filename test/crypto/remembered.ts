import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { Keccak256 } from "../../core/encoding/mod.ts"

/** Digests of one kind; they are forgotten from time to time. */
const KEPT_MAX = 50_000

const digests = new Map<string, Uint8Array>()

/** Keccak-256 for tests, in which a node and the model that it is compared with hash the same, and networks are made from the same seeds. */
export const rememberedKeccak256: Keccak256 = (bytes) => {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
  let digest = digests.get(key)
  if (digest === undefined) {
    if (digests.size >= KEPT_MAX) digests.clear()
    digests.set(key, digest = keccak256(bytes))
  }
  return digest
}
