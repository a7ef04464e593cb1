import { secp256k1 } from "@noble/curves/secp256k1.js"
import type { Network } from "../../core/domain/mod.ts"
import type { SignedAuthorization } from "../../core/ports/mod.ts"
import { isSigningKey } from "./babyjubjub.ts"
import { addressOfPoint, authorizationDigest } from "./signing_authorization.ts"

/**
 * Whether the owner of the address lets coordinators create accounts for the key on this network: r, s and v of the EIP-712 digest
 * (domain §5, HEAD), v 27 or 28, s of either half; and whether signatures by that key mean anything (`isSigningKey`).
 */
export function verifyAuthorization(
  { address, publicKey, signature }: SignedAuthorization,
  network: Network
): boolean {
  const parts = SIGNATURE.exec(signature)
  if (parts === null || !isSigningKey(publicKey)) return false
  const [, r, s, v] = parts as unknown as readonly [string, string, string, string]
  return recovers(
    BigInt(`0x${r}`),
    BigInt(`0x${s}`),
    parseInt(v, 16) - 27,
    authorizationDigest(publicKey, network)
  ) === address
}

/** 0x, r, s and the recovery byte, 1b or 1c. */
const SIGNATURE = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})(1[bcBC])$/u

function recovers(r: bigint, s: bigint, recovery: number, digest: Uint8Array): string | undefined {
  try {
    return addressOfPoint(
      new secp256k1.Signature(r, s, recovery).recoverPublicKey(digest).toBytes(false)
    )
  } catch {
    // r or s is outside 1..n−1, or no point has the x that r says: noble throws plain errors
    return undefined
  }
}
