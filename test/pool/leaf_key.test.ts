import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { INTERNAL_ADDRESS, keysOfLeaf } from "../../core/encoding/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { batchOf, nodeLayer, openChain, ownerOf, postedOf } from "./_node.ts"

const [own, ...others] = keysOfLeaf(ownerOf(8).publicKey)
const to = (toPublicKey: string) => ({
  type: "TransferToBJJ" as const,
  toAccountIndex: null,
  toAddress: INTERNAL_ADDRESS,
  toPublicKey
})

describe("a transfer to a key", () => {
  it.effect("reaches the internal account with the same leaf, whichever of its keys either names", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const ledger = yield* Ledger
      // a key with bit 254, then the reduced key: the first account of the leaf receives
      const l1Coordinator = [others.at(-1)!, own!].map((publicKey) => ({
        address: INTERNAL_ADDRESS,
        publicKey,
        tokenId: 0,
        signature: null
      }))
      yield* ledger.applyBlock(
        chain.grow({ batches: [batchOf(3, { forgeL1TransactionsNum: 2, l1Coordinator })] })
      )
      const submission = yield* Submission
      for (const [nonce, key] of [own!, ...others].entries()) {
        yield* submission.submitTransaction(postedOf({ ...to(key), nonce: BigInt(nonce) }))
      }
      const { accounts, transactions } = yield* (yield* Pool).select({ maxTransactions: 9 })
      assert.deepStrictEqual(accounts, [])
      assert.isAtLeast(transactions.length, 2)
      assert.deepStrictEqual(
        transactions.map(({ receiver }) => receiver),
        [own!, ...others].map(() => ({ kind: "account" as const, index: 262 }))
      )
    }).pipe(Effect.provide(nodeLayer())))
})
