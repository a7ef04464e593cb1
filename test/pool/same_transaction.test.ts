/* Every member decides whether two transactions are the same. */
import { assert, describe, it } from "@effect/vitest"
import type { PoolTransactionType, Transaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import {
  isForgedAs,
  isRequested,
  isSameAuthorization,
  isSamePosted
} from "../../core/use_cases/pool/_same_transaction.ts"
import { requestOf } from "./_groups.ts"
import { ownerOf, postedOf } from "./_node.ts"

const [one, other] = [ownerOf(1), ownerOf(2)]
const posted = postedOf({ toAddress: one.address, toPublicKey: one.publicKey })

/** Checks that a value is the same as itself, and not with another value of any member. */
const decidedBy = <Value extends object>(
  isSame: (a: Value, b: Value) => boolean,
  value: Value,
  members: ReadonlyArray<keyof Value & string>
) => {
  assert.isTrue(isSame(value, structuredClone(value)))
  for (const member of members) {
    const changed = { ...value, [member]: member === "request" ? null : "other" }
    assert.isFalse(isSame(value, changed), member)
    assert.isFalse(isSame(changed, value), member)
  }
}

describe("two posts with the same id", () => {
  const request = { ...requestOf(posted), tokenId: 1 }

  it("are the same if no other member differs", () => {
    decidedBy(isSamePosted, { ...posted, request }, [
      "type",
      "signature",
      "toAccountIndex",
      "toAddress",
      "toPublicKey",
      "request"
    ])
    assert.isTrue(isSamePosted(posted, { ...posted }))
    decidedBy(
      (a, b) => isSamePosted({ ...posted, request: a }, { ...posted, request: b }),
      request,
      Object.keys(request) as ReadonlyArray<keyof typeof request>
    )
  })

  it("of an authorization are the same if key and signature are the same", () => {
    decidedBy(isSameAuthorization, one, ["publicKey", "signature"])
  })
})

describe("a transaction", () => {
  it("matches a requested one if every member is equal; a missing account and account 0 are the same", () => {
    const request = requestOf(posted)
    decidedBy(
      (a, b) => isRequested({ ...posted, ...a } as typeof posted, b),
      request,
      Object.keys(request) as ReadonlyArray<keyof typeof request>
    )
    const toAddress = { ...posted, toAccountIndex: null }
    assert.isTrue(isRequested(toAddress, { ...requestOf(toAddress), toAccountIndex: 0 }))
    assert.isTrue(isRequested({ ...toAddress, toAccountIndex: 0 }, requestOf(toAddress)))
  })

  it("counts as forged if a transaction of its id went to its destination", () => {
    const to = { toAccountIndex: 257, toAddress: INTERNAL_ADDRESS, toPublicKey: one.publicKey }
    const rows: ReadonlyArray<readonly [PoolTransactionType, Partial<Transaction>, boolean]> = [
      ["Exit", { toAccountIndex: 1 }, true],
      ["Exit", { toAccountIndex: 257 }, false],
      ["Transfer", { toAccountIndex: 257 }, true],
      ["Transfer", { toAccountIndex: 1 }, false],
      ["TransferToEthAddr", { toAddress: INTERNAL_ADDRESS }, true],
      ["TransferToEthAddr", { toAddress: one.address }, false],
      ["TransferToBJJ", { toAddress: INTERNAL_ADDRESS, toPublicKey: one.publicKey }, true],
      ["TransferToBJJ", { toAddress: INTERNAL_ADDRESS, toPublicKey: other.publicKey }, false],
      ["TransferToBJJ", { toAddress: one.address, toPublicKey: one.publicKey }, false]
    ]
    for (const [type, forged, expected] of rows) {
      assert.strictEqual(
        isForgedAs(postedOf({ type, ...to }), forged as Transaction),
        expected,
        `${type} ${JSON.stringify(forged)}`
      )
    }
  })
})
