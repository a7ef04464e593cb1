import { assert, describe, it } from "@effect/vitest"
import {
  accountLeaf,
  derivePublicKey,
  signTransaction,
  transactionHash,
  verifyTransaction
} from "../../adapters/crypto/mod.ts"
import { keysOfLeaf, publicKeyFromParts, publicKeyParts } from "../../core/encoding/mod.ts"

/** A private key whose public key has a y that has an unreduced encoding. */
const privateKey = Array.from({ length: 40 }, (_, i) => new Uint8Array(32).fill(i + 1)).find((
  key
) => keysOfLeaf(derivePublicKey(key)).length === 4)!
const own = derivePublicKey(privateKey)
const others = keysOfLeaf(own).slice(1)
const body = {
  tokenId: 0,
  fromAccountIndex: 256,
  toAccountIndex: 257,
  toAddress: null,
  toPublicKey: null,
  amount: 1000n,
  fee: 126,
  nonce: 0n,
  request: null
}

describe("an account whose key has bit 254 or an unreduced y", () => {
  it("has the leaf of the reduced key", () => {
    const leafOf = (publicKey: string) =>
      accountLeaf({
        tokenId: 1,
        nonce: 2n,
        balance: 3n,
        publicKey,
        address: `0x${"ab".repeat(20)}`
      })
    assert.strictEqual(others.length, 3)
    assert.deepStrictEqual(others.map(leafOf), others.map(() => leafOf(own)))
  })

  it("is signed for by the wallet of the reduced key, and not by one of the other sign", () => {
    const transaction = { ...body, signature: signTransaction(privateKey, body, 1337) }
    const { sign, y } = publicKeyParts(own)
    for (const key of [own, ...others]) {
      assert.isTrue(verifyTransaction(key, transaction, 1337))
      assert.isFalse(verifyTransaction(key, { ...transaction, amount: 2000n }, 1337))
    }
    const opposite = publicKeyFromParts({ sign: !sign, y: y + (1n << 254n) })
    assert.isFalse(verifyTransaction(opposite, transaction, 1337))
  })

  it("is the same receiver in the signed message as the reduced key", () => {
    const hashOf = (toPublicKey: string) =>
      transactionHash({
        ...body,
        toAccountIndex: null,
        toAddress: `0x${"ff".repeat(20)}`,
        toPublicKey
      }, 1337)
    assert.deepStrictEqual(others.map(hashOf), others.map(() => hashOf(own)))
  })
})
