import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  derivePublicKey,
  ethereumAddress,
  isSigningKey,
  keccak256,
  signAuthorization,
  signerOf,
  signTransaction,
  transactionHash,
  verifyAuthorization,
  verifyMessage,
  verifyTransaction
} from "../../adapters/crypto/mod.ts"
import { authorizationDigest } from "../../adapters/crypto/authorization_signature.ts"
import { transactionElements } from "../../adapters/crypto/transaction_signature.ts"
import { l2TransactionId, parsePrefixedAddress } from "../../core/encoding/mod.ts"
import { bytes, unsigned } from "../encoding/_arbitrary.ts"
import { postedTransferOf } from "../laws/pool/_pool_rows.ts"
import { verifyCases, type VectorCase } from "../vectors/mod.ts"
import {
  type AuthorizationVector,
  networkOf,
  type PostBody,
  publicKey,
  signedTransaction,
  type TransactionVector
} from "./_vectors.ts"

interface Verdict {
  readonly accept: boolean
}

interface MessageCase extends VectorCase {
  readonly privateKey?: string
  readonly publicKeyBytesHex: string
  readonly message: string
  readonly signature: string
  readonly verdict: Verdict
}

interface TransactionCase extends TransactionVector {
  readonly boundary?: boolean
  readonly idMatches?: boolean
  readonly poseidonInputs: ReadonlyArray<string>
  readonly messageHash: string
  readonly verdict: Verdict
}

interface GroupCase extends VectorCase {
  readonly chainId: number
  readonly postBody: {
    readonly atomicGroupId: string
    readonly transactions: ReadonlyArray<PostBody>
  }
  readonly perTransaction: ReadonlyArray<{ readonly signerBjj: string; readonly verdict: Verdict }>
  readonly atomicGroupIdMatches: boolean
  readonly groupAccept: boolean
}

interface AuthorizationCase extends AuthorizationVector {
  readonly ethereumPrivateKey?: string
  readonly digest: string
  readonly mutation?: string
  readonly verdict: Verdict
}

/** A signature takes milliseconds: every n-th case that can be signed is signed. */
const every = (n: number) => {
  let count = 0
  return () => count++ % n === 0
}

const privateKeys = new Map<string, Uint8Array>()
verifyCases<{ readonly bjj: string; readonly bjjPrivateKey: string }>(
  "wallets",
  260,
  ({ bjj, bjjPrivateKey }) => {
    privateKeys.set(bjj, Buffer.from(bjjPrivateKey, "hex"))
  }
)

describe("A message", () => {
  it("of the vectors is signed as the published client signs it, gets its verdict, and a key that fits every message is not a signing key", () => {
    const isDue = every(4)
    let [signed, weak] = [0, 0]
    verifyCases<MessageCase>("eddsa-poseidon", 606, (vector) => {
      const { negative, policy, privateKey, publicKeyBytesHex: key, signature, verdict } = vector
      const message = BigInt(vector.message)
      assert.strictEqual(verifyMessage(key, message, signature), verdict.accept)
      assert.strictEqual(verdict.accept, !negative)
      if (!negative && privateKey !== undefined && isDue()) {
        assert.strictEqual(signerOf(Buffer.from(privateKey, "hex"))(message), signature)
        signed++
      }
      if (policy !== true) return
      // by decision the equation alone is the verdict on a signature, and such keys are refused
      // when they are authorized
      assert.isFalse(isSigningKey(key))
      weak++
    })
    assert.deepStrictEqual({ signed, weak }, { signed: 55, weak: 28 })
  })

  it.prop(
    "has a signature that verifies for its own message and key only",
    { privateKey: bytes(32), message: unsigned(253), other: unsigned(253) },
    ({ message, other, privateKey }) => {
      const key = derivePublicKey(privateKey)
      const signature = signerOf(privateKey)(message)
      assert.isTrue(verifyMessage(key, message, signature))
      assert.strictEqual(verifyMessage(key, other, signature), other === message)
    },
    { arbitrary: { runs: 40 } }
  )
})

describe("A transaction", () => {
  it("of the vectors is compressed, hashed and signed as the published client does it, and accepted exactly if its signature and its id are right", () => {
    const isDue = every(6)
    let signed = 0
    verifyCases<TransactionCase>("l2-transactions", 802, (vector) => {
      const { boundary, chainId, idMatches, negative, postBody, signerBjj, verdict } = vector
      const transaction = signedTransaction(postBody)
      const verified = verifyTransaction(publicKey(signerBjj), transaction, chainId)
      assert.strictEqual(verified, verdict.accept)
      const id = l2TransactionId(transaction, keccak256)
      const identified = Result.isSuccess(id) && id.success === postBody.id
      assert.strictEqual(identified, idMatches ?? true)
      assert.strictEqual(verified && identified, !negative)
      if (negative || boundary === true || !isDue()) return
      assert.deepStrictEqual(
        transactionElements(transaction, chainId).map(String),
        vector.poseidonInputs
      )
      assert.strictEqual(String(transactionHash(transaction, chainId)), vector.messageHash)
      const key = privateKeys.get(signerBjj)!
      assert.strictEqual(signTransaction(key, transaction, chainId), postBody.signature)
      signed++
    })
    assert.strictEqual(signed, 60)
  })

  it("of a group of the vectors is accepted exactly if the id of the group and the signatures of its members are right", () => {
    // many groups have the same members
    const verdicts = new Map<string, boolean>()
    const isVerified = (body: PostBody, signer: string, chainId: number): boolean => {
      const member = JSON.stringify([body, signer, chainId])
      const verdict = verdicts.get(member) ??
        verifyTransaction(publicKey(signer), signedTransaction(body), chainId)
      verdicts.set(member, verdict)
      return verdict
    }
    verifyCases<GroupCase>(
      "atomic-groups",
      223,
      ({ atomicGroupIdMatches, chainId, groupAccept, perTransaction, postBody }) => {
        const verified = postBody.transactions.map((body, i) => {
          const { signerBjj, verdict } = perTransaction[i]!
          assert.strictEqual(isVerified(body, signerBjj, chainId), verdict.accept)
          return verdict.accept
        })
        const ids = Buffer.from(postBody.transactions.map(({ id }) => id.slice(2)).join(""), "hex")
        const identified =
          `0x${Buffer.from(keccak256(ids)).toString("hex")}` === postBody.atomicGroupId
        assert.strictEqual(identified, atomicGroupIdMatches)
        assert.strictEqual(identified && verified.every(Boolean), groupAccept)
      }
    )
  })

  it("with a field that exceeds its width has no signature, though its bits would fit another transaction", () => {
    const privateKey = new Uint8Array(32).fill(7)
    const unsigned = postedTransferOf({ nonce: 1n }, keccak256)
    const transaction = { ...unsigned, signature: signTransaction(privateKey, unsigned, 1) }
    const isValid = (change: object) =>
      verifyTransaction(derivePublicKey(privateKey), { ...transaction, ...change }, 1)
    assert.isTrue(isValid({}))
    for (
      const wide of [
        { fee: 256 },
        { nonce: 1n << 40n },
        { tokenId: 2 ** 32 },
        { maxNumBatch: 2 ** 32 },
        { fee: -1 },
        { fee: unsigned.fee - 1, nonce: unsigned.nonce + (1n << 40n) }
      ]
    ) {
      assert.isFalse(isValid(wide), String(Object.entries(wide)))
    }
  })
})

describe("An authorization", () => {
  it("of the vectors is signed as the published client signs it, and gets its verdict: recovery byte 27 or 28 only, s of either half", () => {
    const isDue = every(3)
    const decided = { highS: 0, recoveryByte: 0, signed: 0 }
    verifyCases<AuthorizationCase>("account-creation-auth", 490, (vector) => {
      const { ethereumPrivateKey, mutation, negative, policy, postBody, verdict } = vector
      const network = networkOf(vector)
      const authorization = {
        address: Result.getOrThrow(parsePrefixedAddress("hez", postBody.hezEthereumAddress)),
        publicKey: publicKey(postBody.bjj),
        signature: postBody.signature
      }
      const expected = policy === true ? mutation!.includes("high s") : verdict.accept
      if (policy === true) decided[expected ? "highS" : "recoveryByte"]++
      assert.strictEqual(verifyAuthorization(authorization, network), expected)
      if (negative || ethereumPrivateKey === undefined || !isDue()) return
      const owner = Buffer.from(ethereumPrivateKey.slice(2), "hex")
      const digest = authorizationDigest(authorization.publicKey, network)
      assert.strictEqual(`0x${Buffer.from(digest).toString("hex")}`, vector.digest)
      assert.deepStrictEqual(authorization, {
        ...authorization,
        address: ethereumAddress(owner),
        signature: signAuthorization(owner, authorization.publicKey, network)
      })
      decided.signed++
    })
    assert.deepStrictEqual(decided, { highS: 20, recoveryByte: 16, signed: 67 })
  })

  it("of a key that is not a signing key is refused, though its signature is valid", () => {
    const owner = new Uint8Array(32).fill(9)
    const network = { prefix: "zk", name: "Any", chainId: 1, rollupAddress: `0x${"0".repeat(39)}1` }
    let refused = 0
    verifyCases<MessageCase>("eddsa-poseidon", 606, ({ policy, publicKeyBytesHex }) => {
      if (policy !== true) return
      const signature = signAuthorization(owner, publicKeyBytesHex, network)
      assert.isFalse(
        verifyAuthorization({
          address: ethereumAddress(owner),
          publicKey: publicKeyBytesHex,
          signature
        }, network)
      )
      refused++
    })
    assert.strictEqual(refused, 28)
  })
})
