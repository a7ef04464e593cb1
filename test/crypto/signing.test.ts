import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  authorizationDigest,
  ethereumAddress,
  signAuthorization,
  signMessage,
  signTransaction,
  transactionElements,
  transactionHash
} from "../../adapters/crypto/mod.ts"
import { parsePrefixedAddress } from "../../core/encoding/mod.ts"
import { verifyCases, type VectorCase } from "../vectors/mod.ts"
import {
  type AuthorizationVector,
  networkOf,
  publicKey,
  signedTransaction,
  type TransactionVector
} from "./_vectors.ts"

interface MessageCase extends VectorCase {
  readonly privateKey?: string
  readonly message: string
  readonly signature: string
}

interface TransactionCase extends TransactionVector {
  readonly boundary?: boolean
  readonly poseidonInputs: ReadonlyArray<string>
  readonly messageHash: string
}

interface AuthorizationCase extends AuthorizationVector {
  readonly ethereumPrivateKey?: string
  readonly digest: string
}

/**
 * Signs every n-th positive case, because a signature takes milliseconds: about sixty of each file.
 */
const MESSAGES_STEP = 4
const TRANSACTIONS_STEP = 6
const AUTHORIZATIONS_STEP = 3

describe("Signing", () => {
  it("a message is signed as the published client signs it", () => {
    let positive = 0
    verifyCases<MessageCase>(
      "eddsa-poseidon",
      606,
      ({ message, negative, privateKey, signature }) => {
        if (negative || privateKey === undefined || positive++ % MESSAGES_STEP > 0) return
        assert.strictEqual(signMessage(Buffer.from(privateKey, "hex"), BigInt(message)), signature)
      }
    )
    assert.strictEqual(positive, 220)
  })

  it("a transaction is compressed, hashed and signed as the published client does it", () => {
    const keys = privateKeys()
    let positive = 0
    verifyCases<TransactionCase>(
      "l2-transactions",
      802,
      ({ boundary, chainId, messageHash, negative, poseidonInputs, postBody, signerBjj }) => {
        if (negative || boundary === true || positive++ % TRANSACTIONS_STEP > 0) return
        const transaction = signedTransaction(postBody)
        assert.deepStrictEqual(
          transactionElements(transaction, chainId).map(String),
          poseidonInputs
        )
        assert.strictEqual(String(transactionHash(transaction, chainId)), messageHash)
        assert.strictEqual(
          signTransaction(keys.get(signerBjj)!, transaction, chainId),
          postBody.signature
        )
      }
    )
    assert.strictEqual(positive, 360)
  })

  it("an authorization is signed as the published client signs it", () => {
    let positive = 0
    verifyCases<AuthorizationCase>("account-creation-auth", 490, (vector) => {
      const { digest, ethereumPrivateKey, negative, postBody } = vector
      if (negative || ethereumPrivateKey === undefined || positive++ % AUTHORIZATIONS_STEP > 0) {
        return
      }
      const network = networkOf(vector)
      const key = publicKey(postBody.bjj)
      const owner = Buffer.from(ethereumPrivateKey.slice(2), "hex")
      assert.strictEqual(
        `0x${Buffer.from(authorizationDigest(key, network)).toString("hex")}`,
        digest
      )
      assert.strictEqual(signAuthorization(owner, key, network), postBody.signature)
      assert.strictEqual(
        ethereumAddress(owner),
        Result.getOrThrow(parsePrefixedAddress("hez", postBody.hezEthereumAddress))
      )
    })
    assert.strictEqual(positive, 200)
  })

  it("a requested transaction is part of what is hashed", () => {
    const key = "c433f7a696b7aa3a5224efb3993baf0ccd9e92eecee0c29a3f6c8208a9e81d9e"
    const plain = {
      fromAccountIndex: 2,
      toAccountIndex: 3,
      amount: 4n,
      tokenId: 5,
      nonce: 6n,
      fee: 0,
      toPublicKey: key,
      toAddress: null
    }
    const requestOf = (toAddress: string | null, toPublicKey: string | null) => ({
      fromAccountIndex: null,
      toAccountIndex: null,
      toAddress,
      toPublicKey,
      tokenId: null,
      amount: null,
      fee: null,
      nonce: null
    })
    assert.strictEqual(
      transactionHash({
        ...plain,
        request: requestOf("0xc58d29fa6e86e4fae04ddced660d45bcf3cb2370", key)
      }, 0),
      3144939470626721092564692894890580265754250231349521601298746071096761507003n
    )
    const request = {
      fromAccountIndex: 7,
      toAccountIndex: 8,
      amount: 9n,
      tokenId: 10,
      nonce: 11n,
      fee: 12,
      toAddress: null,
      toPublicKey: key
    }
    assert.strictEqual(
      transactionElements({ ...plain, request }, 0)[3],
      0x010c000000000b0000000a0000000009000000000008000000000007n
    )
  })

  it("the published transaction has its published signature", () => {
    const privateKey = Buffer.from(
      "02f0b4f87065af3797aaaf934e8b5c31563c17f2272fa71bd0146535bfbb4184",
      "hex"
    )
    const transaction = {
      fromAccountIndex: 10659,
      toAccountIndex: null,
      toAddress: "0x0004308bd15ead4f1173624dc289dbdcc806a309",
      toPublicKey: null,
      amount: 5000n,
      tokenId: 0,
      nonce: 946n,
      fee: 231,
      request: null
    }
    assert.strictEqual(
      signTransaction(privateKey, transaction, 5),
      "f208b8298d5f37148ac3c0c03703272ea47b9f836851bcf8dd5f7e4e3b336ca1d2f6e92ad85dc25f174daf7a0abfd5f71dead3f059b783f4c4b2f56a18a47000"
    )
  })
})

function privateKeys(): ReadonlyMap<string, Uint8Array> {
  const keys = new Map<string, Uint8Array>()
  verifyCases<{ readonly bjj: string; readonly bjjPrivateKey: string }>(
    "wallets",
    260,
    ({ bjj, bjjPrivateKey }) => {
      keys.set(bjj, Buffer.from(bjjPrivateKey, "hex"))
    }
  )
  return keys
}
