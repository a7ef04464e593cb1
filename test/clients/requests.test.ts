import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { jsonOf, post, send } from "../submission/_post.ts"
import { recordedNode } from "./_node.ts"

interface Body {
  readonly [name: string]: unknown
}
const bodies = (JSON.parse(
  readFileSync(new URL("recorded_requests.json", import.meta.url), "utf8")
) as ReadonlyArray<{ readonly method: string; readonly url: string; readonly body?: Body }>)
  .filter(({ method }) => method === "POST")
const bodyOf = (path: string, type?: string): Body =>
  bodies.find(({ body, url }) => url === `/v1/${path}` && body?.type === type)!.body!
const transfer = bodyOf("transactions-pool", "Transfer")
const authorization = bodyOf("account-creation-authorization")

/** Checks that two paths below `/v1` have the same answer with status 200. */
const assertSame = (sent: string, meant: string) =>
  Effect.gen(function*() {
    const [answer, expected] = [yield* send(`/v1/${sent}`), yield* send(`/v1/${meant}`)]
    assert.deepStrictEqual([answer.status, answer.text], [200, expected.text], sent)
  })
/** Returns the rules that the answer to a path says are broken. */
const rulesOf = (path: string) =>
  Effect.map(send(path), (answer) => {
    assert.strictEqual(answer.status, 400, path)
    return (jsonOf(answer).errors as ReadonlyArray<{ readonly rule: string }>)
      .map(({ rule }) => rule)
  })

layer(recordedNode())("the requests of revision v1", (it) => {
  it.effect("have booleans as Go reads them, and no other ones", () =>
    Effect.gen(function*() {
      const texts = {
        true: ["1", "t", "T", "TRUE", "true", "True"],
        false: ["0", "f", "F", "FALSE", "false", "False"]
      }
      const list = "transactions-history?includePendingL1s="
      for (const [value, spellings] of Object.entries(texts)) {
        for (const text of spellings) yield* assertSame(`${list}${text}`, `${list}${value}`)
      }
      assert.notStrictEqual(
        (yield* send(`/v1/${list}True`)).text,
        (yield* send(`/v1/${list}False`)).text
      )
      const rule = "one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False"
      for (const text of ["yes", "tRUE", "00", "01", "on", "%20true"]) {
        assert.deepStrictEqual(yield* rulesOf(`/v1/${list}${text}`), [rule])
      }
      for (const mount of ["", "/earlier"]) {
        const path = `${mount}/slots?finishedAuction=True`
        assert.deepStrictEqual(yield* rulesOf(path), ["true or false"])
      }
    }))

  it.effect("may have leading zeros in numbers, and no sign", () =>
    Effect.gen(function*() {
      yield* assertSame("tokens?limit=002&fromItem=0001", "tokens?limit=2&fromItem=1")
      yield* assertSame(`batches/${"0".repeat(3000)}3`, "batches/3")
      yield* assertSame("accounts/hez:ETH:000256", "accounts/hez:ETH:256")
      yield* assertSame("accounts?tokenIds=00,002", "accounts?tokenIds=0,2")
      yield* assertSame(
        "transactions-history?accountIndex=hez:ETH:0256",
        "transactions-history?accountIndex=hez:ETH:256"
      )
      yield* assertSame("slots?minSlotNum=00&maxSlotNum=07", "slots?minSlotNum=0&maxSlotNum=7")
      for (const text of ["%2B5", "-5", "+5", "0x5", "5.0", "05e0", "1_0", "%20"]) {
        assert.deepStrictEqual(
          yield* rulesOf(`/v1/tokens?limit=${text}`),
          ["a decimal integer from 1 to 2049, without sign"],
          text
        )
      }
      assert.deepStrictEqual(yield* rulesOf("/v1/tokens?limit=0000"), [
        "a decimal integer from 1 to 2049, without sign"
      ])
      for (const path of ["/tokens?limit=05", "/earlier/batches/03", "/accounts/hez:ETH:0256"]) {
        assert.isNotEmpty(yield* rulesOf(path))
      }
    }))

  it.effect("may leave out 0x of the id of a transaction", () =>
    Effect.gen(function*() {
      const { transactions } = jsonOf(yield* send("/v1/transactions-history?limit=1"))
      const { id } = (transactions as ReadonlyArray<{ readonly id: string }>)[0]!
      for (const text of [id.slice(2), id.slice(2).toUpperCase()]) {
        yield* assertSame(`transactions-history/${text}`, `transactions-history/${id}`)
        assert.isNotEmpty(yield* rulesOf(`/transactions-history/${text}`))
        assert.isNotEmpty(yield* rulesOf(`/v1/transactions-history/0x0x${text}`))
      }
    }))

  it.effect("may have unknown parameters, which only /accounts refuses", () =>
    Effect.gen(function*() {
      const same = [
        ["tokens/1", "x=1"],
        ["config", "x=1"],
        ["state", "x&y=%zz"],
        ["batches", "%ff=1&unknown=2"],
        ["transactions-history", "maxSlothNum=x"],
        ["accounts/hez:ETH:256", "tokenIds=1"]
      ]
      for (const [path, query] of same) yield* assertSame(`${path}?${query}`, path!)
      assert.deepStrictEqual(yield* rulesOf("/v1/accounts?tokenId=0&limit=5"), [
        "a known parameter"
      ])
      assert.deepStrictEqual(yield* rulesOf("/v1/accounts?%ff=1"), ["percent-encoded UTF-8"])
      for (const mount of ["", "/earlier"]) {
        for (const [path, query] of same) {
          if (path === "config") continue
          assert.strictEqual((yield* send(`${mount}/${path}?${query}`)).status, 400, path)
        }
      }
    }))

  it.effect("may repeat a parameter, of which the first counts", () =>
    Effect.gen(function*() {
      const same = [
        ["tokens?limit=1&limit=2", "tokens?limit=1"],
        ["tokens?limit=1&limit=x&limit=%zz", "tokens?limit=1"],
        ["accounts?tokenIds=2&limit=5&tokenIds=x", "accounts?tokenIds=2&limit=5"],
        // an absent one is the first one too
        ["tokens?limit=&limit=1", "tokens"]
      ]
      for (const [sent, meant] of same) yield* assertSame(sent!, meant!)
      assert.deepStrictEqual(yield* rulesOf("/v1/tokens?limit=x&limit=1"), [
        "a decimal integer from 1 to 2049, without sign"
      ])
      assert.deepStrictEqual(yield* rulesOf("/v1/tokens?limit=%zz&limit=1"), [
        "percent-encoded UTF-8"
      ])
    }))

  it.effect("may name a batch that is not forged, which has no transactions", () =>
    Effect.gen(function*() {
      for (
        const path of ["transactions-history?batchNum=99", "transactions-history?batchNum=099"]
      ) {
        const answer = yield* send(`/v1/${path}`)
        assert.deepStrictEqual([answer.status, answer.text], [
          200,
          `{"transactions":[],"pendingItems":0}`
        ])
      }
    }))

  it.effect("may have unknown properties, also in a group, and leading zeros in strings of digits", () =>
    Effect.gen(function*() {
      const more = { unknown: { a: [1, null] }, token: { id: 1 }, itemId: 7, __proto: null }
      const pool = "/v1/transactions-pool"
      const text = (body: Body) =>
        // a repeated unknown property is as unknown as a single one
        `{"unknown":1,${JSON.stringify({ ...body, ...more }).slice(1)}`
      const sent = {
        ...transfer,
        amount: `00${String(transfer.amount)}`,
        fromAccountIndex: String(transfer.fromAccountIndex).replace(/(\d+)$/u, "0$1")
      }
      const answer = yield* post(`${pool}?x=1`, text(sent))
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [200, transfer.id])
      assert.deepInclude(jsonOf(yield* send(`${pool}/${String(transfer.id)}`)), {
        amount: transfer.amount,
        fromAccountIndex: transfer.fromAccountIndex
      })
      const path = "/v1/account-creation-authorization"
      assert.strictEqual((yield* post(path, text(authorization))).status, 200)
      const ofGroup = yield* post(
        "/v1/atomic-pool",
        JSON.stringify({ atomicGroupId: `0x${"0".repeat(64)}`, x: 1, transactions: [more, more] })
      )
      const faults = jsonOf(ofGroup).errors as ReadonlyArray<{ readonly rule: string }>
      assert.isFalse(faults.some(({ rule }) => rule === "a known property"))
    }))

  it.effect("have strict JSON, and every known property once", () =>
    Effect.gen(function*() {
      const repeated = `{"amount":"1",${JSON.stringify(transfer).slice(1)}`
      const zeros = JSON.stringify(transfer).replace(/"nonce":(\d)/u, '"nonce":0$1')
      for (const text of [repeated, zeros]) {
        assert.strictEqual((yield* post("/v1/transactions-pool", text)).status, 400)
      }
      for (const mount of ["", "/earlier"]) {
        const { maxNumBatch: _, ...body } = transfer
        const answer = yield* post(
          `${mount}/transactions-pool`,
          JSON.stringify({ ...body, unknown: 1 })
        )
        assert.strictEqual(answer.status, 400)
        assert.include(answer.text, `Unknown property \\"unknown\\"`)
      }
    }))
})
