import { assert, describe, it } from "@effect/vitest"
import {
  accessKey,
  accessMessage,
  accessSigner,
  authorizationTypedData,
  derivePublicKey,
  signAccessMessage
} from "../../adapters/crypto/mod.ts"
import { formatPublicKey } from "../../core/encoding/mod.ts"
import { readFileSync } from "node:fs"
import { verifyCases } from "../vectors/mod.ts"

interface WalletCase {
  readonly kind: "ethereum" | "internal"
  readonly ethereumPrivateKey: string
  readonly ethereumAddress: string
  readonly accessMessageSignature: string
  readonly bjjPrivateKey: string
  readonly bjj: string
}

const fileOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"))

/** The network of the published clients. */
const network = { name: "Hermez Network" }

describe("the key of an Ethereum key", () => {
  it("is derived as the published client derives it", () => {
    assert.strictEqual(accessMessage(network), fileOf("wallets").accessMessage)
    verifyCases<WalletCase>("wallets", 260, (wallet) => {
      if (wallet.kind !== "ethereum") return
      const { accessMessageSignature, bjj, bjjPrivateKey, ethereumAddress } = wallet
      const key = Buffer.from(wallet.ethereumPrivateKey.slice(2), "hex")
      assert.strictEqual(signAccessMessage(key, network), accessMessageSignature)
      assert.strictEqual(
        accessSigner(accessMessageSignature, network),
        ethereumAddress.toLowerCase()
      )
      const privateKey = accessKey(accessMessageSignature)
      assert.strictEqual(Buffer.from(privateKey).toString("hex"), bjjPrivateKey)
      assert.strictEqual(formatPublicKey("hez", derivePublicKey(privateKey)), bjj)
    })
  })

  it("belongs to the signer of this network's message, with either form of the recovery byte", () => {
    const key = new Uint8Array(32).fill(7)
    const signature = signAccessMessage(key, network)
    const signer = accessSigner(signature, network)
    const v = parseInt(signature.slice(-2), 16) - 27
    assert.strictEqual(accessSigner(`${signature.slice(0, -2)}0${v}`, network), signer)
    assert.notStrictEqual(accessSigner(signature, { name: "Other" }), signer)
    assert.isUndefined(accessSigner(`${signature.slice(0, -2)}1d`, network))
    assert.isUndefined(accessSigner("0x", network))
    assert.throws(() => accessKey("0x"), RangeError)
  })
})

describe("the typed data of an authorization", () => {
  it("are those that the published client signs", () => {
    const { domain, message, primaryType, types } = fileOf("account-creation-auth").typedData
    const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
    const data = authorizationTypedData(publicKey, {
      ...network,
      chainId: 5,
      rollupAddress: "0x1"
    })
    assert.deepStrictEqual([data.types, data.primaryType], [types, primaryType])
    assert.deepStrictEqual(data.domain, { ...domain, chainId: 5, verifyingContract: "0x1" })
    assert.deepStrictEqual({ ...data.message, BJJKey: message.BJJKey }, message)
    assert.match(data.message.BJJKey, /^0x[0-9a-f]{64}$/u)
  })
})
