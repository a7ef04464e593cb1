import { assert, describe, it } from "@effect/vitest"
import {
  accessKey,
  accessSigner,
  authorizationTypedData,
  derivePublicKey,
  signAccessMessage
} from "../../adapters/crypto/mod.ts"
import { readFileSync } from "node:fs"

/** The network of the published clients. */
const network = { name: "Hermez Network" }

describe("the key of an Ethereum key", () => {
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
    const vectors = new URL("../vectors/account-creation-auth.json", import.meta.url)
    const { domain, message, primaryType, types } = JSON.parse(readFileSync(vectors, "utf8"))
      .typedData
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
