import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Application, defaultMounts } from "../../adapters/http/mod.ts"
import { application, ask, type RequestOptions } from "./_application.ts"

const redirected = (url: string, options?: RequestOptions) =>
  Effect.map(ask(url, options), ({ body, headers, status }) => {
    assert.strictEqual(body, "", url)
    return [status, headers.location]
  })

describe("a slash at the end of a path", () => {
  layer(application())("in each revision", (it) => {
    it.effect("is redirected away, with the mount and the query", () =>
      Effect.gen(function*() {
        const locations = {
          "/v1/": "/v1",
          "/v1/?a=/": "/v1?a=/",
          "/v1/tokens/": "/v1/tokens",
          "/v1/accounts/?x=1&y=a/": "/v1/accounts?x=1&y=a/",
          "/v1/accounts/zk:ETH:256/": "/v1/accounts/zk:ETH:256",
          "/v1/exits/3/zk%3AETH:256/?": "/v1/exits/3/zk%3AETH:256?",
          "/v1/openapi.json/": "/v1/openapi.json",
          "/v1/docs/": "/v1/docs",
          "/docs/": "/docs",
          "/tokens/?a=1": "/tokens?a=1",
          "/earlier/": "/earlier",
          "/earlier/slots/7/": "/earlier/slots/7"
        }
        for (const [url, location] of Object.entries(locations)) {
          assert.deepStrictEqual(yield* redirected(url), [301, location])
          assert.deepStrictEqual(yield* redirected(url, { method: "HEAD" }), [301, location])
        }
      }))

    it.effect("is redirected with 307 for other methods, which keeps method and body", () =>
      Effect.gen(function*() {
        for (const method of ["POST", "PUT", "DELETE"]) {
          assert.deepStrictEqual(
            yield* redirected("/v1/transactions-pool/?a=1", { method }),
            [307, "/v1/transactions-pool?a=1"]
          )
        }
        assert.strictEqual((yield* ask("/v1/tokens/", { method: "CONNECT" })).status, 405)
      }))

    it.effect("is redirected for pages of other sites, whose preflight is answered at the path itself", () =>
      Effect.gen(function*() {
        const { headers } = yield* ask("/v1/tokens/", { headers: { origin: "https://a.example" } })
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.strictEqual(headers["api-revision"], "v1")
        assert.strictEqual(headers.vary, "Api-Revision, Accept-Encoding")
        assert.notProperty(headers, "content-type")
        for (const path of ["/v1/transactions-pool", "/v1/tokens"]) {
          const [preflight, itself] = [
            yield* ask(`${path}/`, { method: "OPTIONS" }),
            yield* ask(path, { method: "OPTIONS" })
          ]
          assert.strictEqual(preflight.status, 204)
          assert.deepStrictEqual(preflight.headers, itself.headers)
        }
      }))

    it.effect("is kept with the header that selects the revision at the default mount", () =>
      Effect.gen(function*() {
        const headers = { "api-revision": "v1" }
        assert.deepStrictEqual(yield* redirected("/tokens/?a=1", { headers }), [301, "/tokens?a=1"])
        // the path of the mount itself
        assert.strictEqual((yield* ask("/", { headers })).status, 200)
      }))

    it.effect("leads to no other host: a path with an empty segment is unknown", () =>
      Effect.gen(function*() {
        const urls = [
          "/v1//",
          "/v1//evil.example/",
          "/v1///evil.example/",
          "/v1/tokens//",
          "/v1/nothing/",
          String.raw`/v1/\evil.example/`,
          "/v1/%2Fevil.example/",
          "//v1/tokens/",
          "http://evil.example/v1/tokens/"
        ]
        for (const url of urls) {
          const { headers, status } = yield* ask(url)
          assert.deepStrictEqual([status, headers.location], [404, undefined], url)
        }
        for (const url of ["//", "//evil.example/", "///evil.example//", "//tokens/"]) {
          const { headers, status } = yield* ask(url, { headers: { "api-revision": "v1" } })
          assert.deepStrictEqual([status, headers.location], [404, undefined], url)
        }
      }))
  })

  it.effect("is redirected below the path of the host, and at a mount of another name", () =>
    Effect.gen(function*() {
      const { handle } = yield* Application
      const at = (url: string) =>
        Effect.map(
          handle({ method: "GET", url, headers: {}, basePath: "/rollup" }),
          ({ headers, status }) => [status, headers.location]
        )
      assert.deepStrictEqual(yield* at("/rollup/a/b/tokens/?x"), [301, "/rollup/a/b/tokens?x"])
      assert.deepStrictEqual(yield* at("/rollup/a/b/"), [301, "/rollup/a/b"])
    }).pipe(Effect.provide(application({
      mounts: defaultMounts.map((mount) =>
        mount.path === "/v1" ? { ...mount, path: "/a/b" } : mount
      )
    }))))
})
