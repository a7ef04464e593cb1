import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { jsonOf, type NodeResponse, post, send } from "../submission/_post.ts"
import { recordedNode } from "./_node.ts"

/*
 * Each request that published versions of the client library send, as recorded, and the answer of a
 * node. `recorded_requests.json` has one line for each request and the versions that send it.
 */

interface Recorded {
  readonly versions: ReadonlyArray<string>
  readonly method: "GET" | "POST"
  readonly url: string
  readonly body?: {
    readonly id?: string
    readonly type?: string
    readonly transactions?: ReadonlyArray<{ readonly id: string }>
  }
}
const recorded = JSON.parse(
  readFileSync(new URL("recorded_requests.json", import.meta.url), "utf8")
) as ReadonlyArray<Recorded>

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

const ask = ({ body, method, url }: Recorded) =>
  method === "GET" ? send(url) : post(url, JSON.stringify(body))

describe("a recorded request of a published client", () => {
  for (const request of recorded) {
    const { body, method, url, versions } = request
    const of = `${method} ${url}${body?.type === undefined ? "" : ` ${body.type}`}`
    it.effect(`is answered: ${of} (${versions.join(", ")})`, () =>
      Effect.gen(function*() {
        const answer = yield* ask(request)
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
    const expected = body?.id ?? body?.transactions?.map(({ id }) => id) ?? { success: "OK" }
    assert.deepStrictEqual(JSON.parse(answer.text), expected)
    return
  }
  const [, read] = least.find(([of]) => of.test(url))!
  assert.isDefined(read(JSON.parse(answer.text) as never), answer.text)
}
