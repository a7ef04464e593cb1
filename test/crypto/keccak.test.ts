import { assert, describe, it } from "@effect/vitest"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { verifyCases } from "../vectors/mod.ts"

interface WalletCase {
  readonly kind: "ethereum" | "internal"
  readonly accessMessageSignature?: string
  readonly bjjPrivateKey: string
}

describe("Keccak-256", () => {
  it("the empty input has its well-known digest", () => {
    assert.strictEqual(
      hexOf(keccak256(new Uint8Array())),
      "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    )
  })

  it("a wallet's BabyJubJub private key is the hash of the text of its signed access message", () => {
    let hashed = 0
    verifyCases<WalletCase>("wallets", 260, ({ kind, accessMessageSignature, bjjPrivateKey }) => {
      if (kind === "internal") return
      assert.strictEqual(
        hexOf(keccak256(new TextEncoder().encode(accessMessageSignature))),
        bjjPrivateKey
      )
      hashed++
    })
    assert.strictEqual(hashed, 200)
  })
})

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
