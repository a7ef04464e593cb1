import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { jsonOf, type NodeResponse, send } from "../submission/_post.ts"
import { recordedNode } from "./_node.ts"
import { type Body, postBody, type Recorded, recorded } from "./_recorded.ts"

/* Each recorded request of the published clients, and the answer of a node. */

/** Requests that the dialect refuses, with the status and the code of the refusal. */
const refused: ReadonlyArray<readonly [url: RegExp, status: number, code: number]> = [
  // filters that exclude each other, and bids without a filter
  [/^\/v1\/transactions-history\?BJJ=.*accountIndex=/u, 400, 1],
  [/^\/v1\/transactions-pool\?hezEthereumAddress=.*accountIndex=/u, 400, 1],
  [/^\/v1\/bids\?order=/u, 400, 1],
  // unknown items
  [/^\/v1\/transactions-history\/0x02ab/u, 404, 4],
  [/^\/v1\/transactions-pool\/0x02ab/u, 404, 4],
  [/^\/v1\/exits\/5\//u, 404, 4],
  [/^\/v1\/account-creation-authorization\//u, 404, 4]
]

/** The least that the clients read of an answer, by the path: each returns a value. */
const least: ReadonlyArray<readonly [url: RegExp, read: (answer: never) => unknown]> = [
  [
    /^\/v1\/state$/u,
    (state: { network: { nextForgers: ReadonlyArray<{ coordinator: { URL: string } }> } }) =>
      state.network.nextForgers.map(({ coordinator }) => coordinator.URL)
  ],
  [/^\/v1\/accounts\/hez:ETH:256$/u, ({ nonce }: { nonce: number }) => nonce],
  [
    /^\/v1\/[a-z-]+(?:\?|$)/u,
    (answer: { pendingItems?: number; hermez?: object; historyDB?: object }) =>
      answer.pendingItems ?? answer.hermez ?? answer.historyDB
  ],
  [/./u, (answer: object) => Object.keys(answer)[0]]
]

describe("a recorded request of a published client", () => {
  for (const request of recorded) {
    const { body, method, url, versions } = request
    const of = `${method} ${url}${body?.type === undefined ? "" : ` ${String(body.type)}`}`
    it.effect(`is answered: ${of} (${versions.join(", ")})`, () =>
      Effect.gen(function*() {
        const answer = yield* (method === "GET" ? send(url) : postBody(url, body))
        const refusal = refused.find(([of]) => of.test(url))
        if (refusal !== undefined) {
          assert.deepStrictEqual([answer.status, jsonOf(answer).code], [refusal[1], refusal[2]])
          assert.isString(jsonOf(answer).message)
        } else {
          assert.strictEqual(answer.status, 200, answer.text)
          assertLeast(answer, request)
        }
      }).pipe(Effect.provide(recordedNode())))
  }
})

const assertLeast = (answer: NodeResponse, { body, method, url }: Recorded) => {
  if (method === "POST") {
    const members = body!.transactions as ReadonlyArray<Body> | undefined
    const expected = body!.id ?? members?.map(({ id }) => id) ?? { success: "OK" }
    assert.deepStrictEqual(JSON.parse(answer.text), expected)
    return
  }
  const [, read] = least.find(([of]) => of.test(url))!
  assert.isDefined(read(JSON.parse(answer.text) as never), answer.text)
}
