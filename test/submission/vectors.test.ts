import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256, transactionHash } from "../../adapters/crypto/mod.ts"
import { bodyReader, earlier, later, wireContext } from "../../core/contract/mod.ts"
import { l2TransactionId, publicKeyToBigEndianHex } from "../../core/encoding/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { PREFIXES, verifyCases, withPrefix } from "../vectors/mod.ts"

/* Posts of the published client are decoded as it signed them. */

interface Posted {
  readonly [name: string]: string | number | null
}
interface TransactionCase {
  readonly negative: boolean
  readonly mutation?: string
  readonly chainId: number
  readonly postBody: Posted
  readonly messageHash?: string
  readonly usesMaxNumBatch?: boolean
}
interface AuthorizationCase {
  readonly negative: boolean
  readonly fitsPattern?: boolean
  readonly postBody: Posted
  readonly bjjKeyBytes32?: string
}

/**
 * Returns the body as a client of this network would have posted it, without members that the
 * contract does not have.
 */
const bodyText = (prefix: string, body: Posted): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(body).filter(([name]) => name !== "maxNumBatch").map(([name, value]) => [
        prefix === "hez" ? name : name.replace(/^hez/u, prefix).replace("Hez", "Zk"),
        typeof value === "string" ? withPrefix(prefix, value) : value
      ])
    )
  )

describe.each(PREFIXES)("with prefix %s", (prefix) => {
  const context = wireContext({ ...genesis.network, prefix }, keccak256)

  it("a transaction is decoded as it was signed, and only a damaged signature is refused", () => {
    let read = 0
    verifyCases<TransactionCase>(
      "l2-transactions",
      802,
      ({ chainId, messageHash, mutation = "", negative, postBody, usesMaxNumBatch }) => {
        if (usesMaxNumBatch === true) return
        read++
        const result = bodyReader(later.bodies.transaction, context)(bodyText(prefix, postBody))
        assert.deepStrictEqual(
          bodyReader(earlier.bodies.transaction, context)(bodyText(prefix, postBody)),
          result
        )
        if (Result.isFailure(result)) {
          assert.isTrue(negative)
          assert.match(mutation, /^signature: (?:last|one byte appended|0x|one character|empty)/u)
          assert.deepStrictEqual(result.failure.map(({ parameter }) => parameter), ["/signature"])
          return
        }
        const posted = result.success
        assert.strictEqual(posted.request === null, postBody.requestAmount === null)
        if (negative && mutation.includes("float")) return
        const idMatches = Result.getOrThrow(l2TransactionId(posted, keccak256)) === posted.id
        assert.strictEqual(
          idMatches,
          !mutation.startsWith("id does not fit") &&
            !/: (?:amount|nonce|fee|token|sender) /u.test(mutation),
          mutation
        )
        // the member that the contract does not have is part of the hash
        const maxNumBatch = Number(postBody.maxNumBatch)
        if (messageHash !== undefined) {
          assert.strictEqual(
            String(transactionHash({ ...posted, maxNumBatch }, chainId)),
            messageHash,
            mutation
          )
        }
      }
    )
    assert.isAbove(read, 700)
  })

  it("an authorization is decoded as it was signed, and only a malformed signature is refused", () => {
    verifyCases<AuthorizationCase>(
      "account-creation-auth",
      490,
      ({ bjjKeyBytes32, fitsPattern = true, postBody }) => {
        const result = bodyReader(later.bodies.authorization, context)(bodyText(prefix, postBody))
        assert.strictEqual(Result.isSuccess(result), fitsPattern)
        if (Result.isFailure(result)) {
          assert.deepStrictEqual(result.failure.map(({ parameter }) => parameter), ["/signature"])
          return
        }
        assert.strictEqual(
          `hez:${result.success.address}`,
          (postBody.hezEthereumAddress as string).toLowerCase()
        )
        assert.strictEqual(result.success.signature, (postBody.signature as string).toLowerCase())
        if (bjjKeyBytes32 !== undefined) {
          assert.strictEqual(
            `0x${publicKeyToBigEndianHex(result.success.publicKey)}`,
            bjjKeyBytes32
          )
        }
      }
    )
  })
})
