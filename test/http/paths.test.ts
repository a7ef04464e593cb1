/* Paths, methods and origins. The golden files show every operation, and usual refusals. */
import { bodyOf } from "../_answers.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Application, defaultMounts } from "../../adapters/http/mod.ts"
import { revisionList } from "../../core/contract/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { application, ask, jsonOf, problemOf } from "./_application.ts"

const preflight = { origin: "https://wallet.example", "access-control-request-method": "GET" }

layer(application())("paths and methods", (it) => {
  it.effect("paths are exact, and an unknown one is refused with the nearest known one", () =>
    Effect.gen(function*() {
      const nearest = {
        "/tokens//": "did you mean /tokens?",
        "/toknes/7": "did you mean /tokens/{id}?",
        "/TOKENS": "did you mean /tokens?",
        "/earlier/stat": "did you mean /earlier/state?",
        "/earlier//": "did you mean /earlier?",
        "/full-batch/3": "did you mean /full-batches/{batchNum}?",
        "/quite/another/thing": "/docs lists all",
        "/Tokens": "",
        "//tokens": "",
        "/tokens//1": "",
        "/%74okens": "",
        "/earlierx/tokens": "",
        "tokens": "",
        "/exits/3": ""
      }
      for (const [path, hint] of Object.entries(nearest)) {
        const answer = yield* ask(path)
        const { message, type } = problemOf(answer)
        assert.strictEqual(answer.status, 404, path)
        assert.strictEqual(type, "urn:rollup-node-api:problem:unknown-path")
        assert.include(message, hint)
      }
    }))

  it.effect("a path refuses methods that it does not have", () =>
    Effect.gen(function*() {
      const posts = ["GET", "HEAD", "PUT", "DELETE", "PATCH"]
      const refused: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
        ["/transactions-pool", "POST, OPTIONS", posts],
        ["/account-creation-authorization", "POST, OPTIONS", posts],
        ["/earlier/transactions-pool", "POST, OPTIONS", posts],
        ["/tokens/1?x=1", "GET, HEAD, OPTIONS", [
          "POST",
          "PUT",
          "DELETE",
          "PATCH",
          "PROPFIND",
          "get",
          "X".repeat(500)
        ]]
      ]
      for (const [path, allow, methods] of refused) {
        for (const method of methods) {
          const { headers, status } = yield* ask(path, { method })
          assert.deepStrictEqual([status, headers.allow], [405, allow], `${method} ${path}`)
        }
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
        const length = String(bodyOf(get).length)
        assert.deepStrictEqual(head, {
          ...head,
          status: get.status,
          headers: { ...get.headers, "content-length": length },
          body: ""
        }, path)
      }
    }))

  it.effect("/network has the identity of the network and the paths of the revisions, at every mount", () =>
    Effect.gen(function*() {
      for (const path of ["/network", "/earlier/network"]) {
        const answer = yield* ask(path)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [200, {
          ...genesis.network,
          revisions: revisionList.map(({ name, path }) => ({ revision: name, path }))
        }])
        const known = { "if-none-match": answer.headers.etag! }
        assert.strictEqual((yield* ask(path, { headers: known })).status, 304)
      }
    }))
})

layer(application())("cross-origin requests", (it) => {
  it.effect("OPTIONS lists the methods of a path", () =>
    Effect.gen(function*() {
      const { body, headers, status } = yield* ask("/tokens", { method: "OPTIONS" })
      assert.deepStrictEqual([status, body, headers.allow], [204, "", "GET, HEAD, OPTIONS"])
      assert.strictEqual((yield* ask("*", { method: "OPTIONS" })).status, 204)
      assert.strictEqual((yield* ask("/nowhere", { method: "OPTIONS" })).status, 404)
    }))

  it.effect("a preflight allows every origin, header and method of the interface, also for unknown paths", () =>
    Effect.gen(function*() {
      const methods = {
        "/tokens": "GET, HEAD, OPTIONS",
        "/transactions-pool": "POST, OPTIONS",
        "/account-creation-authorization": "POST, OPTIONS",
        "/nowhere": "GET, HEAD, POST, OPTIONS"
      }
      for (const [path, allowed] of Object.entries(methods)) {
        const { headers, status } = yield* ask(path, { method: "OPTIONS", headers: preflight })
        assert.strictEqual(status, 204)
        assert.deepInclude(headers, {
          "access-control-allow-origin": "*",
          "access-control-allow-methods": allowed,
          "access-control-max-age": "86400"
        })
        assert.match(headers["access-control-allow-headers"]!, /Api-Revision, Content-Type/u)
      }
    }))

  it.effect("any origin may read every answer, with the headers of its snapshot", () =>
    Effect.gen(function*() {
      for (const path of ["/tokens", "/tokens?x=1", "/nowhere", "/docs", "/", "/network"]) {
        const { headers } = yield* ask(path)
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.includeMembers(headers["access-control-expose-headers"]!.split(", "), [
          "Api-Revision",
          "Ledger-Ethereum-Block",
          "Ledger-Batch",
          "Ledger-Version",
          "Retry-After"
        ])
      }
    }))
})

describe("a slash at the end of a path", () => {
  layer(application())("in each revision", (it) => {
    it.effect("is redirected away, with the mount and the query; with 307 if the method has a body", () =>
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
          for (const method of ["GET", "HEAD"]) {
            const { body, headers, status } = yield* ask(url, { method })
            assert.deepStrictEqual([status, headers.location, body], [301, location, ""], url)
          }
        }
        for (const method of ["POST", "PUT", "DELETE"]) {
          const { headers, status } = yield* ask("/v1/transactions-pool/?a=1", { method })
          assert.deepStrictEqual([status, headers.location], [307, "/v1/transactions-pool?a=1"])
        }
        assert.strictEqual((yield* ask("/v1/tokens/", { method: "CONNECT" })).status, 405)
      }))

    it.effect("is redirected for pages of other sites, whose preflight is answered at the path itself", () =>
      Effect.gen(function*() {
        const { headers } = yield* ask("/v1/tokens/", { headers: { origin: "https://a.example" } })
        assert.deepInclude(headers, {
          "access-control-allow-origin": "*",
          "api-revision": "v1",
          vary: "Api-Revision, Accept-Encoding"
        })
        assert.notProperty(headers, "content-type")
        for (const path of ["/v1/transactions-pool", "/v1/tokens"]) {
          const there = yield* ask(path, { method: "OPTIONS" })
          assert.deepStrictEqual(yield* ask(`${path}/`, { method: "OPTIONS" }), there)
          assert.strictEqual(there.status, 204)
        }
      }))

    it.effect("is kept with the header that selects the revision at the default mount", () =>
      Effect.gen(function*() {
        const options = { headers: { "api-revision": "v1" } }
        const { headers, status } = yield* ask("/tokens/?a=1", options)
        assert.deepStrictEqual([status, headers.location], [301, "/tokens?a=1"])
        // the path of the mount itself
        assert.strictEqual((yield* ask("/", options)).status, 200)
      }))

    it.effect("leads to no other host: a path with an empty segment is unknown", () =>
      Effect.gen(function*() {
        const v1 = { "api-revision": "v1" }
        const refused: ReadonlyArray<readonly [{ [name: string]: string }, ...Array<string>]> = [
          [{}, "/v1//", "/v1//evil.example/", "/v1///evil.example/", "/v1/tokens//"],
          [{}, "/v1/nothing/", String.raw`/v1/\evil.example/`, "/v1/%2Fevil.example/"],
          [{}, "//v1/tokens/", "http://evil.example/v1/tokens/"],
          [v1, "//", "//evil.example/", "///evil.example//", "//tokens/"]
        ]
        for (const [headers, ...urls] of refused) {
          for (const url of urls) {
            const answer = yield* ask(url, { headers })
            assert.deepStrictEqual([answer.status, answer.headers.location], [404, undefined], url)
          }
        }
      }))
  })

  it.effect("is redirected below the path of the host, and at a mount of another name", () =>
    Effect.gen(function*() {
      const { handle } = yield* Application
      for (const [path, location] of [["/tokens/?x", "/tokens?x"], ["/", ""]]) {
        const url = `/rollup/a/b${path}`
        const { headers, status } = yield* handle({
          method: "GET",
          url,
          headers: {},
          basePath: "/rollup"
        })
        assert.deepStrictEqual([status, headers.location], [301, `/rollup/a/b${location}`])
      }
    }).pipe(Effect.provide(application({
      mounts: defaultMounts.map((mount) =>
        mount.path === "/v1" ? { ...mount, path: "/a/b" } : mount
      )
    }))))
})
