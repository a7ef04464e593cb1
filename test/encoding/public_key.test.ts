import { assert, describe, it } from "@effect/vitest"
import {
  formatPublicKey,
  hexOfBytes,
  parsePublicKey,
  publicKeyFromBigEndianHex,
  publicKeyFromParts,
  publicKeyParts,
  keysOfLeaf,
  leafKey,
  publicKeyToBigEndianHex
} from "../../core/encoding/mod.ts"
import { PREFIXES, verifyCases, type VectorCase, withPrefix } from "../vectors/mod.ts"
import { bytes, characterOf, fraction, replaceAt } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

interface KeyCase extends VectorCase {
  readonly text: string
  readonly isBjj: boolean
  readonly compressedHex?: string
  readonly ayHex?: string
  readonly sign?: number
}

interface WalletCase {
  readonly bjj: string
  readonly bjjCompressedHex: string
  readonly bjjCompressedBytesHex: string
  readonly publicKeyY: string
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

describe("public keys", () => {
  for (const prefix of PREFIXES) {
    it(`every key text of the vectors gets its verdict under the prefix ${prefix}`, () => {
      verifyCases<KeyCase>("bjj-encoding", 453, (vector) => {
        const text = withPrefix(prefix, vector.text)
        const result = parsePublicKey(prefix, text)
        if (!vector.isBjj) return refuses(result, text)
        const key = reversed(vector.compressedHex ?? bareHex(vector.text))
        accepts(result, key)
        assert.strictEqual(formatPublicKey(prefix, key), text)
        if (vector.ayHex === undefined) return
        assert.deepStrictEqual(publicKeyParts(key), {
          y: BigInt(`0x${vector.ayHex}`),
          sign: vector.sign === 1
        })
      })
    })

    it(`every wallet's key has its text, bytes and number under the prefix ${prefix}`, () => {
      verifyCases<WalletCase>("wallets", 260, (wallet) => {
        const key = wallet.bjjCompressedBytesHex
        accepts(parsePublicKey(prefix, withPrefix(prefix, wallet.bjj)), key)
        assert.strictEqual(formatPublicKey(prefix, key), withPrefix(prefix, wallet.bjj))
        assert.strictEqual(publicKeyToBigEndianHex(key), wallet.bjjCompressedHex)
        accepts(publicKeyFromBigEndianHex(wallet.bjjCompressedHex.toUpperCase()), key)
        assert.strictEqual(publicKeyParts(key).y, BigInt(wallet.publicKeyY))
      })
    })
  }

  it.prop(
    "32 bytes round-trip through text, number and parts",
    { value: bytes(32) },
    ({ value }) => {
      const key = hexOfBytes(value)
      for (const prefix of ["zk", "x"]) {
        accepts(parsePublicKey(prefix, formatPublicKey(prefix, key)), key)
      }
      accepts(publicKeyFromBigEndianHex(publicKeyToBigEndianHex(key)), key)
      assert.strictEqual(publicKeyFromParts(publicKeyParts(key)), key)
    }
  )

  it.prop(
    "a key text with any one character changed is refused",
    { value: bytes(32), position: fraction, damage: characterOf(`${BASE64URL}+/=. \né`) },
    ({ value, position, damage }) => {
      const text = formatPublicKey("zk", hexOfBytes(value))
      for (const replacement of ["", damage, `${damage}A`]) {
        const damaged = replaceAt(text, position, replacement)
        if (damaged !== text) refuses(parsePublicKey("zk", damaged), damaged)
      }
    }
  )

  it("a character outside the alphabet is refused, also if the sum would match", () => {
    // decoded as -1 it would have the bits of 63, as 0 or 1 those of A and B
    for (const [byte, digit] of [[255, "_"], [0, "A"], [4, "B"]] as const) {
      const text = formatPublicKey("zk", hexOfBytes(new Uint8Array(32).fill(byte)))
      const at = text.indexOf(digit, 3)
      for (const stranger of ["*", "\u00e9", "\u007f"]) {
        const damaged = text.slice(0, at) + stranger + text.slice(at + 1)
        refuses(parsePublicKey("zk", damaged), damaged)
      }
    }
  })

  it("additional or missing groups are refused", () => {
    const text = formatPublicKey("zk", hexOfBytes(new Uint8Array(32).fill(7)))
    for (const other of [`${text}AAAA`, `zk:${text.slice(7)}`, text.slice(0, -4), "zk:"]) {
      refuses(parsePublicKey("zk", other), other)
    }
  })

  it("a value that cannot be a compressed key is a defect", () => {
    for (const y of [-1n, 1n << 255n]) {
      assert.throws(() => publicKeyFromParts({ y, sign: false }), RangeError)
    }
    for (const text of ["", "0x00", "0".repeat(62), "0".repeat(66), "g".repeat(64)]) {
      refuses(publicKeyFromBigEndianHex(text), text)
    }
  })

  it("have one key in the leaf, without bit 254 and with y reduced", () => {
    const order = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n
    const limit = 1n << 254n
    for (const sign of [false, true]) {
      for (const y of [0n, 1n, limit - order - 1n]) {
        const key = publicKeyFromParts({ sign, y })
        const others = [y, y + order, y + limit, y + order + limit].map((each) =>
          publicKeyFromParts({ sign, y: each })
        )
        assert.deepStrictEqual(others.map(leafKey), others.map(() => key))
        assert.deepStrictEqual([...keysOfLeaf(others[3]!)].sort(), [...others].sort())
      }
      for (const y of [limit - order, order - 1n]) {
        const key = publicKeyFromParts({ sign, y })
        const other = publicKeyFromParts({ sign, y: y + limit })
        assert.deepStrictEqual(keysOfLeaf(other), [key, other])
      }
    }
  })
})

function reversed(hex: string): string {
  return Buffer.from(hex, "hex").reverse().toString("hex")
}

/** Decodes the bytes of cases without a column for them, by another decoder. */
function bareHex(text: string): string {
  return reversed(Buffer.from(text.slice(4), "base64url").subarray(0, 32).toString("hex"))
}
