/* Which members decide whether two transactions are the same. */
import { assert, describe, it } from "@effect/vitest"
import type {
  PoolTransactionType,
  PostedTransaction,
  RequestedTransaction,
  Transaction
} from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import {
  isForgedAs,
  isRequested,
  isSameAuthorization,
  isSamePosted
} from "../../core/use_cases/pool/_same_transaction.ts"
import { requestOf } from "../pool/_groups.ts"
import { ownerOf, postedOf } from "../pool/_node.ts"

const [one, other] = [ownerOf(1), ownerOf(2)]

describe("two posts with the same id", () => {
  const request: RequestedTransaction = {
    fromAccountIndex: 257,
    toAccountIndex: 258,
    toAddress: one.address,
    toPublicKey: one.publicKey,
    tokenId: 1,
    amount: 5n,
    fee: 3,
    nonce: 4n
  }
  const posted = postedOf({ toAddress: one.address, toPublicKey: one.publicKey, request })

  it("are the same if they differ only in members that the id does not contain", () => {
    assert.isTrue(isSamePosted(posted, structuredClone(posted)))
    const others: ReadonlyArray<Partial<PostedTransaction>> = [
      { type: "Exit" },
      { signature: "1".repeat(128) },
      { toAccountIndex: 258 },
      { toAddress: other.address },
      { toPublicKey: other.publicKey },
      { request: null }
    ]
    for (const parts of others) {
      assert.isFalse(isSamePosted(posted, { ...posted, ...parts }), Object.keys(parts)[0])
      assert.isFalse(isSamePosted({ ...posted, ...parts }, posted), Object.keys(parts)[0])
    }
    assert.isTrue(isSamePosted({ ...posted, request: null }, { ...posted, request: null }))
  })

  it("differ if they require different transactions", () => {
    for (const name of Object.keys(request)) {
      assert.isFalse(
        isSamePosted(posted, { ...posted, request: { ...request, [name]: null } }),
        name
      )
    }
  })

  it("of an authorization are the same if key and signature are the same", () => {
    assert.isTrue(isSameAuthorization(one, { ...one }))
    assert.isFalse(isSameAuthorization(one, { ...one, publicKey: other.publicKey }))
    assert.isFalse(isSameAuthorization(one, { ...one, signature: other.signature }))
  })
})

describe("a transaction", () => {
  it("matches a requested transaction if every member is equal; a missing account and account 0 are the same", () => {
    const posted = postedOf({
      toAccountIndex: null,
      toAddress: one.address,
      toPublicKey: one.publicKey
    })
    const request = requestOf(posted)
    assert.isTrue(isRequested(posted, request))
    assert.isTrue(isRequested(posted, { ...request, toAccountIndex: 0 }))
    assert.isTrue(isRequested({ ...posted, toAccountIndex: 0 }, request))
    const others: RequestedTransaction = {
      amount: 7n,
      fee: 7,
      fromAccountIndex: 7,
      nonce: 7n,
      toAccountIndex: 7,
      toAddress: other.address,
      toPublicKey: other.publicKey,
      tokenId: 7
    }
    for (const [name, value] of Object.entries(others)) {
      assert.isFalse(isRequested(posted, { ...request, [name]: value }), name)
    }
  })

  it("counts as forged if a transaction of its id went to its destination", () => {
    const forgedTo = (type: PoolTransactionType, to: Partial<Transaction>) =>
      isForgedAs(
        postedOf({
          type,
          toAccountIndex: 257,
          toAddress: INTERNAL_ADDRESS,
          toPublicKey: one.publicKey
        }),
        to as Transaction
      )
    assert.deepStrictEqual([
      forgedTo("Exit", { toAccountIndex: 1 }),
      forgedTo("Exit", { toAccountIndex: 257 })
    ], [true, false])
    assert.deepStrictEqual([
      forgedTo("Transfer", { toAccountIndex: 257 }),
      forgedTo("Transfer", { toAccountIndex: 1 })
    ], [true, false])
    assert.deepStrictEqual([
      forgedTo("TransferToEthAddr", { toAddress: INTERNAL_ADDRESS }),
      forgedTo("TransferToEthAddr", { toAddress: one.address })
    ], [true, false])
    const toKeys = [{ toPublicKey: one.publicKey }, { toPublicKey: other.publicKey }, {
      toAddress: one.address,
      toPublicKey: one.publicKey
    }]
    assert.deepStrictEqual(
      toKeys.map((to) => forgedTo("TransferToBJJ", { toAddress: INTERNAL_ADDRESS, ...to })),
      [true, false, false]
    )
  })
})
