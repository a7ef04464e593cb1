/* Atomic groups over HTTP, which only revision v1 has. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { jsonOf, pointersOf, send } from "../submission/_post.ts"
import { recordedNode } from "./_node.ts"
import { type Body, bodyOf, errorOf, postBody, shownAt, withoutRequest } from "./_recorded.ts"

const group = bodyOf("atomic-pool")
const [first, second] = group.transactions as readonly [Body, Body]
const path = "/v1/atomic-pool"
const one = `${path}/${String(group.atomicGroupId)}`
const ids = [first.id, second.id]
const postGroup = (parts: Body, to = path) => postBody(to, { ...group, ...parts })

layer(recordedNode())("an atomic group", (it) => {
  it.effect("is posted, and read in its order", () =>
    Effect.gen(function*() {
      const unknown = yield* send(one)
      assert.deepStrictEqual(errorOf(unknown), [404, 4, "ErrSQLNoRows"])
      assert.strictEqual(
        jsonOf(unknown).message,
        `There is no group in the pool with id ${String(group.atomicGroupId)}`
      )
      for (let times = 0; times < 2; times++) {
        const answer = yield* postGroup({})
        assert.deepStrictEqual(JSON.parse(answer.text), ids)
      }
      const shown = JSON.parse((yield* send(one)).text) as Array<Body>
      assert.strictEqual(shown.length, 2)
      for (const [i, { id, requestNonce, requestOffset }] of [first, second].entries()) {
        assert.deepInclude(shown[i], { id, requestNonce, requestOffset, state: "pend" })
      }
      assert.deepStrictEqual(yield* shownAt(`/v1/transactions-pool/${String(first.id)}`), shown[0])
      const conflict = yield* postGroup({
        transactions: [first, { ...second, signature: first.signature }]
      })
      assert.deepStrictEqual(errorOf(conflict), [409, 2, "ErrDuplicatedKey"])
    }))

  it.effect("is the same without the request properties, as the published Go client sends it", () =>
    Effect.gen(function*() {
      const transactions = [first, second].map(withoutRequest)
      for (const parts of [{ transactions }, {}]) {
        const answer = yield* postGroup(parts)
        assert.deepStrictEqual(JSON.parse(answer.text), ids)
      }
      const { requestNonce } = yield* shownAt(`/v1/transactions-pool/${String(first.id)}`)
      assert.strictEqual(requestNonce, second.nonce)
    }))

  it.effect("is refused with the published codes", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [parts: Body, code: number, type: string]> = [
        [{ transactions: [first] }, 19, "ErrSingleTxInAtomicEndpoint"],
        [{ atomicGroupId: `0x${"0".repeat(64)}` }, 21, "ErrInvalidAtomicGroupID"],
        [{ transactions: [{ ...first, requestOffset: 0 }, second] }, 20, "ErrRqOffsetOutOfBounds"],
        [{ transactions: [{ ...first, requestOffset: 8 }, second] }, 20, "ErrRqOffsetOutOfBounds"],
        [
          { transactions: [{ ...first, requestOffset: 2 }, second] },
          22,
          "ErrFailedToFindOffsetToRelativePosition"
        ],
        [{ transactions: [first, second, first, second] }, 18, "ErrTxsNotAtomic"],
        [{ transactions: [{ ...first, type: "Exit" }, second] }, 6, "ErrInvalidTxTypeOrTxID"],
        [{ transactions: "none" }, 1, "ErrParamValidationFailed"],
        [{ transactions: [1, first] }, 1, "ErrParamValidationFailed"]
      ]
      for (const [parts, code, type] of cases) {
        const answer = yield* postGroup(parts)
        assert.deepStrictEqual(errorOf(answer), [400, code, type], answer.text)
      }
      const { requestOffset: _offset, ...withoutOffset } = first
      const missing = yield* postGroup({ transactions: [withoutOffset, second] })
      assert.deepStrictEqual(errorOf(missing), [400, 20, "ErrRqOffsetOutOfBounds"])
      const { nonce: _, ...incomplete } = first
      assert.deepStrictEqual(
        pointersOf(yield* postGroup({ transactions: [incomplete, { ...second, amount: "x" }, 3] })),
        ["/transactions/0/nonce", "/transactions/1/amount", "/transactions/2"]
      )
      const many = yield* postGroup({ transactions: Array.from({ length: 33 }, () => ({})) })
      assert.deepStrictEqual(pointersOf(many), ["/transactions"])
    }))

  it.effect("is the only place in v1 of a transaction that requires another one", () =>
    Effect.gen(function*() {
      for (const parts of [{}, { requestOffset: 0 }, { requestOffset: null }]) {
        const alone = yield* postBody("/v1/transactions-pool", { ...first, ...parts })
        assert.deepStrictEqual(errorOf(alone), [400, 14, "ErrNotAtomicTxsInPostPoolTx"])
        if ("requestOffset" in parts) assert.include(pointersOf(alone), "/requestNonce")
      }
      for (const mount of ["", "/earlier"]) {
        assert.strictEqual((yield* postGroup({}, `${mount}/atomic-pool`)).status, 404)
        assert.strictEqual((yield* send(one.replace("/v1", mount))).status, 404)
      }
    }))
})
