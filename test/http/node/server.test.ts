import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { type Application, fetchHandler } from "../../../adapters/http/mod.ts"
import { serverLayer } from "../../../adapters/http/node/mod.ts"
import { application, type ProblemBody } from "../_application.ts"
import { sendRaw } from "../_socket.ts"

const Server = (app: Layer.Layer<Application> = application()) =>
  serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(app))
const portOf = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => (address as { readonly port: number }).port
)
const raw = (bytes: string | Uint8Array) =>
  Effect.flatMap(portOf, (port) => Effect.promise(() => sendRaw(port, bytes)))
const get = (target: string, lines = "", method = "GET") =>
  raw(Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`, "latin1"))

layer(Server())("the server, by bytes", (it) => {
  it.effect("bytes that are not HTTP get a refusal of the usual form", () =>
    Effect.gen(function*() {
      const requests: ReadonlyArray<readonly [string, number]> = [
        ["\u0000\u0001\u0002\r\n\r\n", 400],
        ["GET\r\n\r\n", 400],
        ["GET /tokens\u0000 HTTP/1.1\r\nHost: x\r\n\r\n", 400],
        ["BREW /tokens HTTP/1.1\r\nHost: x\r\n\r\n", 400],
        ["GET /tokens HTTP/1.1\r\n\r\n", 400],
        ["GET /tokens HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", 400],
        ["GET /tokens HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400],
        ["GET /tokens HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400],
        ["GET /tokens HTTP/9.9\r\nHost: x\r\n\r\n", 400],
        [`GET /${"x".repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431]
      ]
      for (const [request, status] of requests) {
        const answer = yield* raw(request)
        assert.strictEqual(answer?.status, status, JSON.stringify(request.slice(0, 40)))
        assert.strictEqual((JSON.parse(answer!.body) as ProblemBody).status, status)
        assert.strictEqual(answer!.headers["api-revision"], "later")
        assert.strictEqual(answer!.headers["ledger-ethereum-block"], "107")
        assert.strictEqual(answer!.headers["access-control-allow-origin"], "*")
      }
    }))

  it.effect("unusual methods, hosts and expectations get an answer too", () =>
    Effect.gen(function*() {
      for (const method of ["PROPFIND", "TRACE", "M-SEARCH", "PATCH", "QUERY"]) {
        assert.strictEqual((yield* get("/tokens", "", method))?.status, 405)
      }
      assert.strictEqual((yield* get("/tokens", "Expect: the unexpected\r\n"))?.status, 200)
      assert.strictEqual(
        (yield* get("/tokens", "Upgrade: websocket\r\nConnection: Upgrade\r\n"))?.status,
        200
      )
      assert.strictEqual(
        (yield* get("/tokens", "Api-Revision: later\r\nApi-Revision: earlier\r\n"))?.status,
        400
      )
      assert.strictEqual((yield* raw("GET /tokens HTTP/1.0\r\n\r\n"))?.status, 200)
      for (const url of ["http://x/tokens?limit=1", "HTTPS://x:1/tokens", "http://x"]) {
        const answer = yield* raw(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)
        assert.strictEqual(answer?.status, 200, url)
      }
    }))

  it.effect("CONNECT is refused like any method that a path does not have", () =>
    Effect.gen(function*() {
      for (const target of ["x:443", "/tokens", `x:${"4".repeat(9000)}`]) {
        const answer = yield* get(target, "", "CONNECT")
        assert.strictEqual(answer?.status, target.length > 8192 ? 414 : 405)
        assert.strictEqual(answer!.headers.connection, "close")
        assert.strictEqual((JSON.parse(answer!.body) as ProblemBody).status, answer!.status)
        if (answer!.status === 405) {
          assert.strictEqual(answer!.headers.allow, "GET, HEAD, POST, OPTIONS")
        }
      }
      // the answer quotes the header, and is then not ASCII
      const answer = yield* get("x:443", "Api-Revision: \u00e9\r\n", "CONNECT")
      assert.include((JSON.parse(answer!.body) as ProblemBody).message, 'revision "\u00e9"')
    }))

  it.effect("complete requests before bytes that are not HTTP keep their answers", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const requests = Array.from(
        { length: 20 },
        (_, id) => `GET /tokens?limit=${id + 1} HTTP/1.1\r\nHost: x\r\n\r\n`
      ).join("")
      for (
        const [bytes, statuses] of [
          ["\u0000\r\n\r\n".repeat(3), ["200", "400"]],
          ["GET /\u00ff HTTP/1.1\r\nHost: x\r\n\r\n", ["200", "400"]],
          ["POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", [
            "200",
            "400"
          ]],
          // nothing after a request with `Connection: close` is read
          [
            "GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /tokens HTTP/1.1\r\nHost: x\r\n\r\n",
            ["200", "404"]
          ]
        ] as const
      ) {
        const { body, status } = (yield* Effect.promise(() =>
          sendRaw(port, Buffer.from(requests + bytes, "latin1"), true)
        ))!
        const seen = [...body.matchAll(/HTTP\/1\.1 (\d+) /gu)].map(([, status]) =>
          status
        )
        assert.deepStrictEqual([String(status), ...seen], [
          ...Array.from({ length: 20 }, () => statuses[0]),
          statuses[1]
        ], bytes)
      }
    }))

  it.effect("limits are exact to the byte over a socket", () =>
    Effect.gen(function*() {
      const url = (bytes: number) => "/tokens?symbols=".padEnd(bytes, "A")
      assert.strictEqual((yield* get(url(8192)))?.status, 200)
      assert.strictEqual((yield* get(url(8193)))?.status, 414)
      // Host takes nine bytes
      const header = (bytes: number) => get("/tokens", `X: ${"y".repeat(bytes - 9 - 5)}\r\n`)
      assert.strictEqual((yield* header(16384))?.status, 200)
      assert.strictEqual((yield* header(16385))?.status, 431)
      const chunked = (bytes: number) =>
        get(
          "/tokens",
          `Transfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${"z".repeat(bytes)}\r\n0\r\n`
        )
      assert.strictEqual((yield* chunked(65536))?.status, 200)
      assert.strictEqual((yield* chunked(65537))?.status, 413)
      assert.strictEqual(
        (yield* get("/tokens", `Content-Length: 65536\r\n\r\n${"z".repeat(65536 - 2)}`))?.status,
        200
      )
      assert.strictEqual((yield* get("/tokens", "Content-Length: 65537\r\n"))?.status, 413)
    }))
})

layer(Server())("the fetch handler", (it) => {
  const paths = [
    "/",
    "/tokens/1",
    "/tokens/2",
    "/tokens?limit=30&order=DESC",
    "/tokens?limt=1&limit=0",
    "/earlier/slots?limit=3",
    "/nowhere",
    "/docs",
    "/earlier/openapi.json",
    "/tokens/%FF",
    "/state",
    `/tokens?name=${"x".repeat(9000)}`
  ]
  it.effect("gives the server's answers: status, headers and body", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const handler = yield* fetchHandler
      for (const path of paths) {
        for (const method of ["GET", "HEAD", "OPTIONS", "DELETE"]) {
          const url = `http://127.0.0.1:${port}${path}`
          const [served, handled] = yield* Effect.promise(() =>
            Promise.all([
              // otherwise `fetch` asks for compression
              fetch(url, {
                method,
                redirect: "manual",
                headers: { "accept-encoding": "identity" }
              }),
              handler(new Request(url, { method }))
            ])
          )
          const [a, b] = yield* Effect.promise(() => Promise.all([served.text(), handled.text()]))
          assert.strictEqual(handled.status, served.status, `${method} ${path}`)
          assert.strictEqual(b, a)
          const { date: _, connection: __, "keep-alive": ___, ...headers } = Object.fromEntries(
            served.headers
          )
          assert.deepStrictEqual(Object.fromEntries(handled.headers), headers, `${method} ${path}`)
        }
      }
    }))

  it.effect("a client that disconnects while the documentation loads does not affect other clients", () =>
    Effect.gen(function*() {
      const handler = yield* fetchHandler.pipe(Effect.provide(Layer.fresh(application())))
      const giveUp = new AbortController()
      const abandoned = handler(new Request("http://x/docs", { signal: giveUp.signal })).then(
        () => "answered",
        () => "abandoned"
      )
      giveUp.abort()
      assert.strictEqual(yield* Effect.promise(() => abandoned), "abandoned")
      assert.strictEqual(
        yield* Effect.promise(async () => (await handler(new Request("http://x/docs"))).status),
        200
      )
    }))

  it.effect("a host may pass any URL", () =>
    Effect.gen(function*() {
      const handler = yield* fetchHandler
      const status = (url: string) =>
        Effect.promise(async () => (await handler(new Request(url))).status)
      assert.strictEqual(yield* status("https://node.example/tokens/1#part"), 200)
      assert.strictEqual(yield* status("https://node.example"), 200)
      assert.strictEqual(yield* status("https://node.example?x=1"), 200)
      assert.strictEqual(yield* status("http://[::1]:8080/earlier/tokens"), 200)
    }))
})

describe("shutting down", () => {
  it.live("completes answers in progress, and accepts no more requests", () =>
    Effect.gen(function*() {
      let port = 0
      let answer: Promise<Response> | undefined
      yield* Effect.scoped(Effect.gen(function*() {
        port = yield* Effect.flatMap(
          Layer.build(Server()),
          (context) => Effect.provide(portOf, context)
        )
        const started = Effect.callback<void>((resume) => {
          const begin = () => {
            unsubscribe("http.server.request.start", begin)
            resume(Effect.void)
          }
          subscribe("http.server.request.start", begin)
          answer = fetch(`http://127.0.0.1:${port}/docs`)
        })
        yield* started
      }))
      assert.strictEqual(
        (yield* Effect.promise(() => answer!)).status,
        200
      )
      assert.isTrue(
        yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/tokens`).then(() => false, () => true)
        )
      )
    }))
})
