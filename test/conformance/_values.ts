import { keccak256 } from "../../adapters/crypto/mod.ts"
import { wireContext } from "../../core/contract/mod.ts"

/* Values of the contract that are written in full, told apart by a number each. */

export const context = wireContext({
  prefix: "zk",
  name: "Test",
  chainId: 1,
  rollupAddress: `0x${"99".repeat(20)}`
}, keccak256)

/** Addresses of equal digits have no letters, so their mixed case is themselves. */
export const address = (n: number) => `0x${String(n).repeat(20)}`
/** 32 bytes, each the same, that a public key is written from; and its text, whose last byte is their sum. */
export const key = (byte: number) => byte.toString(16).padStart(2, "0").repeat(32)
export const keyText = (byte: number) =>
  `zk:${
    Buffer.from([...Array.from({ length: 32 }, () => byte), byte * 32 % 256]).toString("base64url")
  }`
export const hash = (n: number) => `0x${String(n).repeat(32)}`
export const id = (kind: number, n: number) => `0x0${kind}${String(n).repeat(32)}`
export const signature = "5".repeat(128)
