import { assert, describe, it } from "@effect/vitest"
import { accountLeaf, transactionHash, verifyTransaction } from "../../adapters/crypto/mod.ts"
import { INTERNAL_ADDRESS, leafKey, publicKeyParts } from "../../core/encoding/mod.ts"
import type { LeafKeyCase } from "../vectors/batch_cases.ts"
import { verifyCases } from "../vectors/mod.ts"

describe("keys with bit 254 or with y above the field order", () => {
  it("have the leaf, the transfer hash and the verdict of the published implementation", () => {
    verifyCases<LeafKeyCase>(
      "leaf-keys",
      40,
      ({ account, leaf, negative, publicKey, sign, signed, y }) => {
        assert.deepStrictEqual(publicKeyParts(leafKey(publicKey)), { y: BigInt(y), sign })
        const { address, balance, nonce, tokenId } = account
        assert.strictEqual(
          String(accountLeaf({
            tokenId,
            nonce: BigInt(nonce),
            balance: BigInt(balance),
            publicKey,
            address
          })),
          leaf
        )
        if (signed === null) return
        const transfer = {
          fromAccountIndex: signed.fromAccountIndex,
          toAccountIndex: null,
          toAddress: INTERNAL_ADDRESS,
          toPublicKey: signed.toPublicKey,
          tokenId: 0,
          amount: BigInt(signed.amount),
          fee: signed.fee,
          nonce: 0n,
          request: null
        }
        assert.strictEqual(String(transactionHash(transfer, signed.chainId)), signed.messageHash)
        const { signature } = signed
        const isValid = verifyTransaction(publicKey, { ...transfer, signature }, signed.chainId)
        assert.strictEqual(isValid, signed.verdict.accept)
        assert.strictEqual(isValid, !negative)
      }
    )
  })
})
