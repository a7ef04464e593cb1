import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { revisionList } from "../../core/contract/mod.ts"
import { application, ask, jsonOf, problemOf } from "./_application.ts"

layer(application())("paths and methods", (it) => {
  it.effect("every read operation answers with JSON", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/accounts",
          "/exits",
          "/transactions-history",
          "/batches",
          "/slots",
          "/bids?slotNum=5",
          "/state",
          "/config",
          "/tokens",
          "/coordinators",
          "/accounts/zk:ETH:256",
          "/exits/3/zk:ETH:256",
          "/batches/3",
          "/full-batches/3",
          "/slots/5",
          "/tokens/1",
          "/earlier/bids",
          "/earlier/slots",
          "/earlier/state"
        ]
      ) {
        const answer = yield* ask(path)
        assert.strictEqual(answer.status, 200, path)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        jsonOf(answer)
      }
    }))

  it.effect("paths are exact: case and double slashes matter", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/Tokens",
          "//tokens",
          "/tokens//1",
          "/%74okens",
          "/earlierx/tokens",
          "tokens",
          "/exits/3"
        ]
      ) {
        const answer = yield* ask(path)
        assert.strictEqual(answer.status, 404, path)
        assert.strictEqual(problemOf(answer).type, "urn:rollup-node-api:problem:unknown-path")
      }
    }))

  it.effect("an unknown path is refused with the nearest known one", () =>
    Effect.gen(function*() {
      const nearest = {
        "/tokens//": "/tokens",
        "/toknes/7": "/tokens/{id}",
        "/TOKENS": "/tokens",
        "/earlier/stat": "/earlier/state",
        "/earlier//": "/earlier",
        "/full-batch/3": "/full-batches/{batchNum}"
      }
      for (const [path, known] of Object.entries(nearest)) {
        assert.match(
          problemOf(yield* ask(path)).message,
          new RegExp(`did you mean ${known.replaceAll(/[{}]/gu, String.raw`\$&`)}\\?`, "u")
        )
      }
      assert.match(
        problemOf(yield* ask("/quite/another/thing")).message,
        /\/docs lists all/u
      )
    }))

  it.effect("a path refuses methods that it does not have", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/transactions-pool",
          "/account-creation-authorization",
          "/earlier/transactions-pool"
        ]
      ) {
        for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"]) {
          const answer = yield* ask(path, { method })
          assert.strictEqual(answer.status, 405)
          assert.strictEqual(answer.headers.allow, "POST, OPTIONS")
        }
      }
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "PROPFIND", "get", "X".repeat(500)]) {
        const answer = yield* ask("/tokens/1?x=1", { method })
        assert.strictEqual(answer.status, 405)
        assert.strictEqual(answer.headers.allow, "GET, HEAD, OPTIONS")
        assert.strictEqual(problemOf(answer).status, 405)
      }
    }))

  it.effect("HEAD answers as GET does, without the body and with its length", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/tokens?limit=30",
          "/tokens/1",
          "/tokens/999",
          "/nowhere",
          "/docs",
          "/openapi.json",
          "/?",
          "/tokens?limt=1"
        ]
      ) {
        const [head, get] = [yield* ask(path, { method: "HEAD" }), yield* ask(path)]
        const { "content-length": length, ...headers } = head.headers
        assert.strictEqual(head.body, "")
        assert.strictEqual(head.status, get.status)
        const { "content-length": _, ...same } = get.headers
        assert.deepStrictEqual(headers, same)
        assert.strictEqual(length, String(Buffer.byteLength(get.body)), path)
      }
    }))

  it.effect("the mount itself lists the paths, and redirects a browser to the documentation", () =>
    Effect.gen(function*() {
      const index = jsonOf(yield* ask("/earlier")) as {
        readonly openapi: string
        readonly revisions: ReadonlyArray<{ readonly documentation: string }>
      }
      assert.strictEqual(index.openapi, "/earlier/openapi.json")
      assert.deepStrictEqual(
        index.revisions.map((revision) => revision.documentation),
        revisionList.map(({ path }) => path === "/" ? "/docs" : `${path}/docs`)
      )
      const browser = yield* ask("/", {
        headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
      })
      assert.strictEqual(browser.status, 302)
      assert.strictEqual(browser.headers.location, "/docs")
    }))
})

layer(application())("cross-origin requests", (it) => {
  it.effect("OPTIONS lists the methods of a path", () =>
    Effect.gen(function*() {
      const answer = yield* ask("/tokens", { method: "OPTIONS" })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.body, "")
      assert.strictEqual(answer.headers.allow, "GET, HEAD, OPTIONS")
      assert.strictEqual((yield* ask("*", { method: "OPTIONS" })).status, 204)
      assert.strictEqual((yield* ask("/nowhere", { method: "OPTIONS" })).status, 404)
    }))

  it.effect("a preflight allows every origin, header and method of the interface, also for unknown paths", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/tokens",
          "/transactions-pool",
          "/account-creation-authorization",
          "/nowhere"
        ]
      ) {
        const { status, headers } = yield* ask(path, {
          method: "OPTIONS",
          headers: { origin: "https://wallet.example", "access-control-request-method": "GET" }
        })
        assert.strictEqual(status, 204)
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.strictEqual(
          headers["access-control-allow-methods"],
          path === "/nowhere"
            ? "GET, HEAD, POST, OPTIONS"
            : path === "/tokens"
            ? "GET, HEAD, OPTIONS"
            : "POST, OPTIONS"
        )
        assert.match(headers["access-control-allow-headers"]!, /Api-Revision, Content-Type/u)
        assert.strictEqual(headers["access-control-max-age"], "86400")
      }
    }))

  it.effect("any origin may read every answer, with the headers of its snapshot", () =>
    Effect.gen(function*() {
      for (const path of ["/tokens", "/tokens?x=1", "/nowhere", "/docs", "/"]) {
        const { headers } = yield* ask(path)
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        for (
          const name of [
            "Api-Revision",
            "Ledger-Ethereum-Block",
            "Ledger-Batch",
            "Ledger-Version",
            "Retry-After"
          ]
        ) {
          assert.include(headers["access-control-expose-headers"]!.split(", "), name)
        }
      }
    }))
})

describe("limits", () => {
  layer(application({ limits: { urlBytesMax: 100, headerBytesMax: 200, bodyBytesMax: 50 } }))(
    (it) => {
      it.effect("a URL may be as long as the limit, and one byte more is 414", () =>
        Effect.gen(function*() {
          const url = (bytes: number) => "/tokens?symbols=".padEnd(bytes, "A")
          assert.strictEqual((yield* ask(url(100))).status, 200)
          assert.strictEqual((yield* ask(url(101))).status, 414)
        }))

      it.effect("headers may be as long as the limit, and one byte more is 431", () =>
        Effect.gen(function*() {
          assert.strictEqual(
            (yield* ask("/tokens", { headers: { name: "x".repeat(192) } })).status,
            200
          )
          assert.strictEqual(
            (yield* ask("/tokens", { headers: { name: "x".repeat(193) } })).status,
            431
          )
        }))

      it.effect("an unexpected body may be as long as the limit, and one byte more is 413", () =>
        Effect.gen(function*() {
          assert.strictEqual(
            (yield* ask("/tokens", { headers: { "content-length": "50" } })).status,
            200
          )
          assert.strictEqual(
            (yield* ask("/tokens", { headers: { "content-length": "51" } })).status,
            413
          )
        }))
    }
  )

  layer(application())((it) => {
    it.effect("by default 8 KiB of URL, 16 KiB of headers and 64 KiB of body are allowed", () =>
      Effect.gen(function*() {
        const url = (bytes: number) => "/tokens?symbols=".padEnd(bytes, "A")
        assert.deepStrictEqual([(yield* ask(url(8192))).status, (yield* ask(url(8193))).status], [
          200,
          414
        ])
        const header = (bytes: number) => ask("/tokens", { headers: { x: "y".repeat(bytes - 5) } })
        assert.deepStrictEqual([(yield* header(16384)).status, (yield* header(16385)).status], [
          200,
          431
        ])
        const body = (bytes: number) =>
          ask("/tokens", { headers: { "content-length": String(bytes) } })
        assert.deepStrictEqual([(yield* body(65536)).status, (yield* body(65537)).status], [
          200,
          413
        ])
      }))
  })
})
