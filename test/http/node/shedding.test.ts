import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Agent, get } from "node:http"
import { Application } from "../../../adapters/http/mod.ts"
import { application } from "../_application.ts"
import { watchedServer } from "../_limits.ts"

/** An application that sheds every request, and logs each. */
const full = application({ limits: { requestsMax: 0 }, telemetry: { log: () => {} } })
/** The same, but no two answers share headers or body. */
const unshared = Layer.effect(
  Application,
  Effect.map(Application, (whole) => ({
    ...whole,
    handle: (request) =>
      Effect.mapEager(
        whole.handle(request),
        (answer) => ({ ...answer, headers: { ...answer.headers } })
      )
  }))
).pipe(Layer.provide(full))

const urls = [
  "/tokens",
  "/tokens?limit=7&order=DESC",
  "/earlier/tokens",
  "/tokens?symbols=%C3%A9",
  "//tokens",
  '/tokens?x="',
  `/tokens?${"x".repeat(492)}`,
  `/tokens?${"x".repeat(493)}`
]

interface RawResponse {
  readonly status: number | undefined
  readonly headers: ReadonlyArray<string>
  readonly body: string
  readonly isReused: boolean
}

/**
 * Returns the responses to one client, which sends each request after the response to the one
 * before.
 */
const responsesTo = Effect.fnUntraced(
  function*(port: number, headers: { readonly [name: string]: string }) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const responses: Array<RawResponse> = []
    // twice: the first time headers are built from scratch
    for (const path of [...urls, ...urls]) {
      responses.push(
        yield* Effect.promise(() =>
          new Promise<RawResponse>((resolve, reject) => {
            const request = get({ port, host: "127.0.0.1", path, agent, headers }, (response) => {
              let body = ""
              response.on("data", (chunk) => body += chunk).on("end", () =>
                resolve({
                  body,
                  status: response.statusCode,
                  headers: response.rawHeaders.map((each, i, all) =>
                    all[i - 1] === "Date" ? "now" : each
                  ),
                  isReused: request.reusedSocket
                }))
            }).on("error", reject)
          })
        )
      )
    }
    agent.destroy()
    return responses
  }
)

describe("a shed request", () => {
  it.live("gets the same bytes whether or not answers share headers", () =>
    Effect.scoped(Effect.gen(function*() {
      const [{ port, hits }, other] = [
        yield* watchedServer(full, {}),
        yield* watchedServer(unshared, {})
      ]
      for (
        const headers of [{}, { connection: "close" }, { "api-revision": "earlier" }, {
          "x-request-id": "longer-or-shorter-than-ours"
        }] as ReadonlyArray<{ [name: string]: string }>
      ) {
        const responses = yield* responsesTo(port, headers)
        const numbered = (responses: ReadonlyArray<RawResponse>) =>
          responses.map((each) => ({
            ...each,
            headers: each.headers.map((value) => value.replace(/^[\da-f]{12}-\w{7}$/u, "our id"))
          }))
        assert.deepStrictEqual(
          numbered(responses),
          numbered(yield* responsesTo(other.port, headers))
        )
        assert.isTrue(
          responses.every(({ headers: all }) =>
            headers["x-request-id"] === undefined || all.includes(headers["x-request-id"])
          )
        )
        assert.isTrue(
          responses.slice(1).every(({ isReused }) =>
            isReused === (headers.connection === undefined)
          )
        )
        for (const { body, headers, status } of responses) {
          if (status === 400) continue
          assert.deepStrictEqual([status, JSON.parse(body).status], [503, 503])
          assert.strictEqual(
            headers[headers.indexOf("content-length") + 1],
            String(Buffer.byteLength(body))
          )
        }
      }
      assert.isAbove(yield* hits("requestsMax"), 0)
    })))
})
