import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256, signAuthorization } from "../../adapters/crypto/mod.ts"
import { authorizationBody, transactionBody } from "../../adapters/wallet/_wire.ts"
import { walletFromEthereumKey } from "../../adapters/wallet/mod.ts"
import {
  bodies,
  bodyReader,
  bodyWriter,
  wireContext,
  referencesReader
} from "../../core/contract/mod.ts"
import { verifyCases, type VectorCase } from "../vectors/mod.ts"

interface TransactionCase extends VectorCase {
  readonly boundary?: boolean
  readonly usesMaxNumBatch?: boolean
  readonly tokenSymbol: string
  readonly postBody: { readonly maxNumBatch: number }
}

interface AuthorizationCase extends VectorCase {
  readonly boundary?: boolean
  readonly chainId: number
  readonly verifyingContract: string
  readonly ethereumPrivateKey: string
  readonly postBody: object
}

const name = "Hermez Network"
const contextOf = (chainId: number, rollupAddress: string) =>
  wireContext(
    { prefix: "hez", name, chainId, rollupAddress: rollupAddress.toLowerCase() },
    keccak256
  )

const textOf = (body: object): string =>
  JSON.stringify(body, (_, value) => typeof value === "bigint" ? Number(value) : value)

/** The client posts addresses in the case in which it gets them. */
const withSmallAddresses = (text: string): unknown =>
  JSON.parse(text.replaceAll(/0x[0-9a-fA-F]{40}"/gu, (address) => address.toLowerCase()))

describe("A posted body", () => {
  it("of a transaction is that of the published client, in every field", () => {
    const context = contextOf(1, "0x")
    const read = bodyReader(bodies.transaction, context)
    let posted = 0
    verifyCases<TransactionCase>("l2-transactions", 802, (vector) => {
      if (vector.negative || vector.boundary === true || vector.usesMaxNumBatch === true) return
      const { maxNumBatch: _, ...body } = vector.postBody
      const transaction = Result.getOrThrow(read(JSON.stringify(body)))
      assert.deepStrictEqual(
        withSmallAddresses(
          textOf(transactionBody(transaction, "hez", {
            symbol: vector.tokenSymbol,
            requestSymbol: vector.tokenSymbol
          }))
        ),
        withSmallAddresses(JSON.stringify(body))
      )
      posted++
    })
    assert.isAbove(posted, 300)
  })

  it("of an authorization is that of the published client", () => {
    let posted = 0
    verifyCases<AuthorizationCase>("account-creation-auth", 490, (vector) => {
      if (vector.negative || vector.boundary === true || posted++ % 2 > 0) return
      const { network } = contextOf(vector.chainId, vector.verifyingContract)
      const { address, ethereumKey, publicKey } = walletFromEthereumKey(
        vector.ethereumPrivateKey,
        network
      )
      const signature = signAuthorization(ethereumKey!, publicKey, network)
      assert.deepStrictEqual(
        authorizationBody({ address, publicKey, signature }, "hez") as object,
        vector.postBody
      )
    })
    assert.strictEqual(posted, 200)
  })

  it("is the one that the contract's writer writes, also with a requested transaction", () => {
    const context = contextOf(1, "0x")
    const request = {
      fromAccountIndex: 300,
      toAccountIndex: 301,
      toAddress: `0x${"ab".repeat(20)}`,
      toPublicKey: "1".repeat(64),
      tokenId: 4,
      amount: 10n ** 30n,
      fee: 7,
      nonce: 2n ** 39n
    }
    for (const requested of [null, request]) {
      const posted = {
        id: `0x02${"0".repeat(64)}`,
        type: "Transfer",
        tokenId: 3,
        fromAccountIndex: 256,
        toAccountIndex: 257,
        toAddress: null,
        toPublicKey: null,
        amount: 5n,
        fee: 1,
        nonce: 3n,
        signature: "0".repeat(128),
        request: requested
      } as const
      assert.deepStrictEqual(
        Result.getOrThrow(
          referencesReader(bodies.transaction, context)(
            textOf(transactionBody(posted, "hez", { symbol: "DAI", requestSymbol: "GOV" }))
          )
        ),
        Result.getOrThrow(
          referencesReader(bodies.transaction, context)(
            bodyWriter(bodies.transaction, context, (index) => index < 300 ? "DAI" : "GOV")(posted)
          )
        )
      )
    }
  })
})
