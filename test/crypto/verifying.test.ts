import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  derivePublicKey,
  ethereumAddress,
  isSigningKey,
  keccak256,
  signAuthorization,
  signMessage,
  verifyAuthorization,
  verifyMessage,
  verifyTransaction
} from "../../adapters/crypto/mod.ts"
import { l2TransactionId, parsePrefixedAddress } from "../../core/encoding/mod.ts"
import { bytes, unsigned } from "../encoding/_arbitrary.ts"
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
  readonly stage?: string
}

interface MessageCase extends VectorCase {
  readonly mutation?: string
  readonly publicKeyBytesHex: string
  readonly message: string
  readonly signature: string
  readonly verdict: Verdict
}

interface TransactionCase extends TransactionVector {
  readonly idMatches?: boolean
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
  readonly mutation?: string
  readonly verdict: Verdict
}

describe("Verifying messages", () => {
  it("every signature of the vectors gets its verdict, and a key that fits every message is not a signing key", () => {
    let weak = 0
    verifyCases<MessageCase>(
      "eddsa-poseidon",
      606,
      ({ message, negative, policy, publicKeyBytesHex, signature, verdict }) => {
        assert.strictEqual(
          verifyMessage(publicKeyBytesHex, BigInt(message), signature),
          verdict.accept
        )
        assert.strictEqual(verdict.accept, !negative)
        if (policy !== true) return
        // by decision the equation alone is the verdict on a signature, and such keys are refused
        // when they are authorized
        assert.isFalse(isSigningKey(publicKeyBytesHex))
        weak++
      }
    )
    assert.strictEqual(weak, 28)
  })

  it.prop(
    "a signature verifies for its own message and key only",
    { privateKey: bytes(32), message: unsigned(253), other: unsigned(253) },
    ({ message, other, privateKey }) => {
      const key = derivePublicKey(privateKey)
      const signature = signMessage(privateKey, message)
      assert.isTrue(verifyMessage(key, message, signature))
      assert.strictEqual(verifyMessage(key, other, signature), other === message)
    },
    { arbitrary: { runs: 40 } }
  )
})

describe("Verifying transactions", () => {
  it("every transaction of the vectors is accepted exactly when its signature and its id are right", () => {
    verifyCases<TransactionCase>(
      "l2-transactions",
      802,
      ({ chainId, idMatches, negative, postBody, signerBjj, verdict }) => {
        const transaction = signedTransaction(postBody)
        const verified = verifyTransaction(publicKey(signerBjj), transaction, chainId)
        assert.strictEqual(verified, verdict.accept)
        const id = l2TransactionId(transaction, keccak256)
        const identified = Result.isSuccess(id) && id.success === postBody.id
        assert.strictEqual(identified, idMatches ?? true)
        assert.strictEqual(verified && identified, !negative)
      }
    )
  })

  it("every group of the vectors is accepted exactly when its id and its members' signatures are right", () => {
    verifyCases<GroupCase>(
      "atomic-groups",
      223,
      ({ atomicGroupIdMatches, chainId, groupAccept, perTransaction, postBody }) => {
        const verified = postBody.transactions.map((body, i) => {
          const { signerBjj, verdict } = perTransaction[i]!
          assert.strictEqual(
            verifyTransaction(publicKey(signerBjj), signedTransaction(body), chainId),
            verdict.accept
          )
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

  it("a field that exceeds its width has no signature, though its bits would fit another transaction", () => {
    const privateKey = new Uint8Array(32).fill(7)
    const key = derivePublicKey(privateKey)
    let example: {
      readonly chainId: number
      readonly postBody: PostBody
      readonly signerBjj: string
    } | undefined
    verifyCases<TransactionCase>("l2-transactions", 802, (vector) => {
      if (!vector.negative) example ??= vector
    })
    const { chainId, postBody, signerBjj } = example!
    const transaction = signedTransaction(postBody)
    assert.isTrue(verifyTransaction(publicKey(signerBjj), transaction, chainId))
    for (
      const wide of [{ fee: 256 }, { nonce: 1n << 40n }, { tokenId: 2 ** 32 }, {
        maxNumBatch: 2 ** 32
      }, { fee: -1 }]
    ) {
      assert.isFalse(verifyTransaction(key, { ...transaction, ...wide }, chainId))
    }
    const shifted = {
      ...transaction,
      fee: transaction.fee - 1,
      nonce: transaction.nonce + (1n << 40n)
    }
    assert.isFalse(verifyTransaction(publicKey(signerBjj), shifted, chainId))
  })
})

describe("Verifying authorizations", () => {
  it("every authorization of the vectors gets its verdict: recovery byte 27 or 28 only, s of either half", () => {
    const decided = { highS: 0, recoveryByte: 0 }
    verifyCases<AuthorizationCase>("account-creation-auth", 490, (vector) => {
      const { mutation, policy, postBody, verdict } = vector
      const authorization = {
        address: Result.getOrThrow(parsePrefixedAddress("hez", postBody.hezEthereumAddress)),
        publicKey: publicKey(postBody.bjj),
        signature: postBody.signature
      }
      const expected = policy === true ? mutation!.includes("high s") : verdict.accept
      if (policy === true) decided[expected ? "highS" : "recoveryByte"]++
      assert.strictEqual(verifyAuthorization(authorization, networkOf(vector)), expected)
    })
    assert.deepStrictEqual(decided, { highS: 20, recoveryByte: 16 })
  })

  it("a valid authorization of a key that is not a signing key is refused", () => {
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
