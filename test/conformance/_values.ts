import { keccak256 } from "../../adapters/crypto/mod.ts"
import { wireContext } from "../../core/contract/mod.ts"

/* Complete values of the contract, each with a different number. */

export const context = wireContext({
  prefix: "zk",
  name: "Test",
  chainId: 1,
  rollupAddress: `0x${"99".repeat(20)}`
}, keccak256)

/** Addresses without letters are equal to their checksummed form. */
export const address = (n: number) => `0x${String(n).repeat(20)}`
/** Returns 32 equal bytes of a public key; its text ends with their sum. */
export const key = (byte: number) => byte.toString(16).padStart(2, "0").repeat(32)
export const keyText = (byte: number) =>
  `zk:${
    Buffer.from([...Array.from({ length: 32 }, () => byte), byte * 32 % 256]).toString("base64url")
  }`
export const hash = (n: number) => `0x${String(n).repeat(32)}`
export const id = (kind: number, n: number) => `0x0${kind}${String(n).repeat(32)}`
export const signature = "5".repeat(128)
