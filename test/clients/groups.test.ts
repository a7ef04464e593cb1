/* Atomic groups over HTTP, which only revision v1 has. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { jsonOf, type NodeResponse, pointersOf, post, send } from "../submission/_post.ts"
import { recordedNode } from "./_node.ts"

interface Body {
  readonly [name: string]: unknown
}
interface Group extends Body {
  readonly atomicGroupId: string
  readonly transactions: ReadonlyArray<Body>
}
const { body: group } = (JSON.parse(
  readFileSync(new URL("recorded_requests.json", import.meta.url), "utf8")
) as ReadonlyArray<{ readonly url: string; readonly body: Group }>).find(({ url }) =>
  url === "/v1/atomic-pool"
)!
const [first, second] = group.transactions as readonly [Body, Body]
const path = "/v1/atomic-pool"
const postGroup = (parts: Body, to = path) => post(to, JSON.stringify({ ...group, ...parts }))
const errorOf = (answer: NodeResponse) => {
  const { code, type } = jsonOf(answer)
  return [answer.status, code, type]
}

layer(recordedNode())("an atomic group", (it) => {
  it.effect("is posted, and read in its order", () =>
    Effect.gen(function*() {
      const unknown = yield* send(`${path}/${group.atomicGroupId}`)
      assert.deepStrictEqual(errorOf(unknown), [404, 4, "ErrSQLNoRows"])
      assert.strictEqual(
        jsonOf(unknown).message,
        `There is no group in the pool with id ${group.atomicGroupId}`
      )
      for (let times = 0; times < 2; times++) {
        const answer = yield* postGroup({})
        assert.deepStrictEqual(JSON.parse(answer.text), [first.id, second.id])
      }
      const shown = JSON.parse((yield* send(`${path}/${group.atomicGroupId}`)).text) as Array<Body>
      assert.deepStrictEqual(
        shown.map(({ id, requestNonce, requestOffset, state }) => ({
          id,
          requestNonce,
          requestOffset,
          state
        })),
        [first, second].map(({ id, requestNonce, requestOffset }) => ({
          id,
          requestNonce,
          requestOffset,
          state: "pend"
        }))
      )
      const one = jsonOf(yield* send(`/v1/transactions-pool/${first.id}`))
      assert.deepStrictEqual(one, shown[0])
      const conflict = yield* postGroup({
        transactions: [first, { ...second, signature: first.signature }]
      })
      assert.deepStrictEqual(errorOf(conflict), [409, 2, "ErrDuplicatedKey"])
    }))

  it.effect("is the same without the request properties, as the published Go client sends it", () =>
    Effect.gen(function*() {
      const transactions = group.transactions.map((each) =>
        Object.fromEntries(
          Object.entries(each).filter(([name]) =>
            name === "requestOffset" || !name.startsWith("request")
          )
        )
      )
      for (const parts of [{ transactions }, {}]) {
        const answer = yield* postGroup(parts)
        assert.deepStrictEqual(JSON.parse(answer.text), [first.id, second.id])
      }
      const shown = jsonOf(yield* send(`/v1/transactions-pool/${first.id}`))
      assert.strictEqual(shown.requestNonce, second.nonce)
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
      const alone = yield* post("/v1/transactions-pool", JSON.stringify(first))
      assert.deepStrictEqual(errorOf(alone), [400, 14, "ErrNotAtomicTxsInPostPoolTx"])
      for (const requestOffset of [0, null]) {
        const linked = yield* post(
          "/v1/transactions-pool",
          JSON.stringify({ ...first, requestOffset })
        )
        assert.deepStrictEqual(errorOf(linked), [400, 14, "ErrNotAtomicTxsInPostPoolTx"])
        assert.include(pointersOf(linked), "/requestNonce")
      }
      for (const mount of ["", "/earlier"]) {
        assert.strictEqual((yield* postGroup({}, `${mount}/atomic-pool`)).status, 404)
        assert.strictEqual(
          (yield* send(`${mount}/atomic-pool/${group.atomicGroupId}`)).status,
          404
        )
      }
    }))
})
