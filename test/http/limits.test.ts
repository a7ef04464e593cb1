import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import {
  makeClientAddress,
  rateLimitKey,
  TokenBuckets
} from "../../adapters/http/node/_rate_limit.ts"
import { rollupClient } from "../../adapters/client/mod.ts"
import { Application, defaultLimits } from "../../adapters/http/mod.ts"
import { application, applicationOver, problemOf } from "./_application.ts"
import { posting, statusOf, talk, watchedApplication, watchedServer } from "./_limits.ts"
import { application as bareApplication } from "./node/_bare_server.ts"
import { sendRaw } from "./_socket.ts"

const get = (url: string) => ({ method: "GET", url, headers: {} })

describe("limits of a request", () => {
  it.effect("a parameter may list as many items as the limit, and one more is refused", () =>
    Effect.gen(function*() {
      for (const [limits, most] of [[{}, 2049], [{ listItemsMax: 3 }, 3]] as const) {
        const { handle, hits } = yield* watchedApplication(application({ limits }))
        for (const parameter of ["ids", "symbols"]) {
          const url = (items: number) => `/tokens?${parameter}=${"1,".repeat(items - 1)}1`
          assert.strictEqual(yield* statusOf(handle(get(url(most)))), 200)
          const refused = yield* handle(get(url(most + 1)))
          assert.strictEqual(refused.status, 400)
          const [fault] = problemOf(refused).errors!
          assert.strictEqual(fault!.rule, `at most ${most} items`)
          assert.strictEqual(
            fault!.message,
            `Parameter ${parameter} lists ${
              most + 1
            } items: expected at most ${most} items; send several requests`
          )
          assert.notProperty(fault, "limit")
        }
        assert.strictEqual(yield* hits("listItemsMax"), 2)
      }
    }))

  it.effect("a body may be nested as deep as the limit, and one level more is refused", () =>
    Effect.gen(function*() {
      for (const [limits, most] of [[{}, 32], [{ jsonDepthMax: 2 }, 2]] as const) {
        const { handle, hits } = yield* watchedApplication(application({ limits }))
        // the object around it is a level too
        const body = (levels: number) => `{"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
        const violationsOf = (levels: number) =>
          Effect.map(handle(posting("/account-creation-authorization", body(levels))), problemOf)
        assert.notInclude((yield* violationsOf(most)).message, "nesting")
        assert.strictEqual(yield* hits("jsonDepthMax"), 0)
        assert.include((yield* violationsOf(most + 1)).message, `at most ${most} levels of nesting`)
        assert.strictEqual(yield* hits("jsonDepthMax"), 1)
      }
    }))

  const sized = {
    urlBytesMax: [414, (bytes: number) => get("/tokens?symbols=".padEnd(bytes, "A"))],
    // the name of the header and its separators take eight bytes
    headerBytesMax: [431, (bytes: number) => ({
      ...get("/tokens"),
      headers: { name: "x".repeat(bytes - 8) }
    })],
    bodyBytesMax: [413, (bytes: number) => ({
      ...get("/tokens"),
      headers: { "content-length": String(bytes) }
    })]
  } as const
  it.effect("a URL, headers and an unexpected body may be as long as the limit; one byte more is refused and counted", () =>
    Effect.gen(function*() {
      for (const limits of [{}, { urlBytesMax: 100, headerBytesMax: 200, bodyBytesMax: 50 }]) {
        const { handle, hits } = yield* watchedApplication(application({ limits }))
        for (const [name, [refused, request]] of Object.entries(sized)) {
          const most = { ...defaultLimits, ...limits }[name as keyof typeof sized]
          assert.strictEqual(yield* statusOf(handle(request(most))), 200, name)
          assert.strictEqual(yield* hits(name), 0)
          assert.strictEqual(yield* statusOf(handle(request(most + 1))), refused, name)
          assert.strictEqual(yield* hits(name), 1)
        }
      }
    }))
})

describe("limits of concurrent requests", () => {
  it.live("as many requests wait as the limit; one more is refused at once, and cached answers are still sent", () =>
    Effect.scoped(Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const waiting = Effect.andThen(Deferred.await(gate), Effect.die("nothing"))
      const { handle, hits } = yield* watchedApplication(
        applicationOver({ list: () => waiting }, { limits: { requestsMax: 2 } })
      )
      const under = yield* Effect.forEach(
        [1, 2],
        (i) => Effect.forkScoped(handle(get(`/tokens?limit=${i}`)))
      )
      yield* Effect.yieldNow
      const refused = yield* handle(get("/tokens?limit=3"))
      assert.deepStrictEqual([
        refused.status,
        refused.headers["retry-after"],
        problemOf(refused).type
      ], [503, "1", "urn:rollup-node-api:problem:overloaded"])
      assert.strictEqual(yield* hits("requestsMax"), 1)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(under, Fiber.join)
      // all clients have disconnected
      assert.strictEqual(yield* statusOf(handle(get("/tokens?limit=3"))), 500)
    })).pipe(Effect.provide(Logger.layer([]))))

  it.effect("a request that is not admitted is refused, unless its answer is cached", () =>
    Effect.gen(function*() {
      const { handle, hits } = yield* watchedApplication(application())
      assert.strictEqual(yield* statusOf(handle(get("/tokens?limit=2"))), 200)
      const late = { admit: () => Effect.succeed(false) }
      const { etag } = (yield* handle({ ...get("/tokens?limit=2"), ...late })).headers
      assert.strictEqual(
        yield* statusOf(
          handle({ ...get("/tokens?limit=2"), ...late, headers: { "if-none-match": etag! } })
        ),
        304
      )
      assert.strictEqual(yield* hits("queueDelayTargetMs"), 0)
      const refused = yield* handle({ ...get("/tokens?limit=3"), ...late })
      assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [503, "1"])
      assert.isDefined(refused.headers["ledger-version"])
      assert.strictEqual(yield* hits("queueDelayTargetMs"), 1)
    }))
})

describe("requests of one address", () => {
  it("are accepted up to the burst at once, then one for each interval", () => {
    const rates = new TokenBuckets({ ratePerSecondMax: 4, rateBurstMax: 3, rateAddressesMax: 10 })
    for (const remaining of [2, 1, 0]) {
      assert.deepInclude(rates.take("a", 1000), { isAllowed: true, remaining })
    }
    assert.deepInclude(rates.take("a", 1000), { isAllowed: false, remaining: 0, retryAfterMs: 250 })
    assert.isTrue(rates.take("b", 1000).isAllowed)
    assert.isFalse(rates.take("a", 1249).isAllowed)
    assert.isTrue(rates.take("a", 1250).isAllowed)
    assert.isFalse(rates.take("a", 1250).isAllowed)
    // the bucket is full again, and not fuller
    for (const remaining of [2, 1, 0]) {
      assert.deepInclude(rates.take("a", 60_000), { isAllowed: true, remaining })
    }
    assert.isFalse(rates.take("a", 60_000).isAllowed)
  })

  it("are counted for as many addresses as the limit; then the least recent address is forgotten", () => {
    const rates = new TokenBuckets({ ratePerSecondMax: 1, rateBurstMax: 1, rateAddressesMax: 2 })
    for (const address of ["a", "b"]) assert.isTrue(rates.take(address, 0).isAllowed)
    for (const address of ["a", "b"]) assert.isFalse(rates.take(address, 0).isAllowed)
    assert.isTrue(rates.take("c", 0).isAllowed)
    assert.strictEqual(rates.addresses, 2)
    assert.isTrue(rates.take("a", 0).isAllowed)
    assert.isFalse(rates.take("c", 0).isAllowed)
    for (let i = 0; i < 1000; i++) rates.take(`x${i}`, 0)
    assert.strictEqual(rates.addresses, 2)
  })

  it("are counted by the peer, or by the last address before trusted proxies", () => {
    const trusted = ["10.0.0.0/8", "fd00::/8", "127.0.0.1"]
    const clients: ReadonlyArray<
      readonly [
        proxies: ReadonlyArray<string>,
        peer: string | undefined,
        forwarded: string | undefined,
        client: string | undefined
      ]
    > = [
      [[], "10.0.0.1", "1.2.3.4", "10.0.0.1"],
      [[], "::ffff:10.0.0.1", undefined, "10.0.0.1"],
      [trusted, "10.0.0.1", "1.2.3.4", "1.2.3.4"],
      [trusted, "::ffff:127.0.0.1", "9.9.9.9, 1.2.3.4, 10.1.1.1", "1.2.3.4"],
      [trusted, "fd12::1", "[2001:db8::5]:443", "2001:db8::5"],
      [trusted, "10.0.0.1", "1.2.3.4:5678", "1.2.3.4"],
      [trusted, "10.0.0.1", "1.2.3.4, nonsense", "10.0.0.1"],
      [trusted, "10.0.0.1", "10.0.0.2", "10.0.0.2"],
      [trusted, "11.0.0.1", "1.2.3.4", "11.0.0.1"],
      [trusted, undefined, "1.2.3.4", undefined],
      [trusted, "fd00::1%eth0", "2001:DB8:0::5", "2001:db8::5"],
      [trusted, "/run/socket", "1.2.3.4", "/run/socket"],
      [["::ffff:10.0.0.0/104"], "10.0.0.1", "1.2.3.4", "1.2.3.4"],
      [["10.1.2.3/8"], "10.0.0.1", "1.2.3.4", "1.2.3.4"]
    ]
    for (const [proxies, peer, forwarded, client] of clients) {
      const found = makeClientAddress(proxies)(peer, forwarded)
      assert.strictEqual(found, client, `${peer} for ${forwarded}`)
    }
  })

  it("are counted by the network of 64 bits in IPv6", () => {
    const keys = {
      "1.2.3.4": "1.2.3.4",
      "2001:db8:1:2::1": "2001:db8:1:2::/64",
      "2001:0db8:0001:0002:3:4:5:6": "2001:db8:1:2::/64",
      "2001:DB8:1:2::1.2.3.4": "2001:db8:1:2::/64",
      "2001:db8:1:2::%eth0": "2001:db8:1:2::/64",
      "2001:db8::1": "2001:db8::/64",
      "::1": "::/64",
      "1::": "1::/64"
    }
    for (const [address, key] of Object.entries(keys)) {
      assert.strictEqual(rateLimitKey(address), key, address)
    }
  })

  it.live("past the limit get 429 with Retry-After, and every response contains the remaining number", () =>
    Effect.scoped(Effect.gen(function*() {
      // so slow that no token comes back while the test runs
      const { port, hits } = yield* watchedServer(application(), {
        ratePerSecondMax: 0.001,
        rateBurstMax: 2,
        trustedProxies: ["127.0.0.1"]
      })
      const ask = (of: string) =>
        Effect.map(
          Effect.promise(() =>
            sendRaw(port, `GET /tokens/1 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${of}\r\n\r\n`)
          ),
          (answer) => answer!
        )
      for (const remaining of [1, 0]) {
        const { headers, status } = yield* ask("2001:db8:1:2::1")
        assert.strictEqual(status, 200)
        assert.match(headers["ratelimit"]!, new RegExp(`^"address";r=${remaining};t=\\d+$`, "u"))
        assert.strictEqual(headers["ratelimit-policy"], '"address";q=2;w=2000')
        assert.include(headers["access-control-expose-headers"], "RateLimit, RateLimit-Policy")
      }
      const { body, headers, status } = yield* ask("2001:db8:1:2::2")
      assert.strictEqual(status, 429)
      assert.match(headers["retry-after"]!, /^\d+$/u)
      assert.match(headers["ratelimit"]!, /^"address";r=0;t=\d+$/u)
      assert.strictEqual(
        (JSON.parse(body) as { readonly type: string }).type,
        "urn:rollup-node-api:problem:rate-limited"
      )
      assert.strictEqual((yield* ask("2001:db8:1:3::1")).status, 200)
      assert.isUndefined(
        (yield* Effect.flatMap(
          watchedServer(application(), {}),
          ({ port }) =>
            Effect.promise(() => sendRaw(port, "GET /tokens/1 HTTP/1.1\r\nHost: x\r\n\r\n"))
        ))!.headers["ratelimit"]
      )
      assert.strictEqual(yield* hits("httpConnectionsMax"), 0)
    })))
})

describe("preflights of a page", () => {
  it.live("take no token of the rate limit, and are answered when none is left", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* watchedServer(application(), {
        ratePerSecondMax: 0.001,
        rateBurstMax: 10
      })
      const url = `http://127.0.0.1:${port}`
      const preflight = Effect.promise(() =>
        fetch(`${url}/tokens/1`, {
          method: "OPTIONS",
          headers: { origin: "http://page", "access-control-request-method": "GET" }
        })
      )
      const allowed = Effect.map(preflight, ({ headers, status }) => {
        assert.strictEqual(status, 204)
        assert.isNull(headers.get("ratelimit"))
      })
      for (let i = 0; i < 30; i++) yield* allowed
      // the whole burst is left
      const client = rollupClient({ url, retriesMax: 0 })
      for (let i = 0; i < 10; i++) {
        assert.isTrue((yield* Effect.promise(() => client.getToken({ id: 0 }))).ok)
      }
      const refused = yield* Effect.promise(() => fetch(`${url}/tokens/0`))
      assert.strictEqual(refused.status, 429)
      assert.include(refused.headers.get("access-control-expose-headers"), "Retry-After")
      const outcome = yield* Effect.promise(() => client.getToken({ id: 0 }))
      assert.isFalse(outcome.ok)
      if (outcome.ok || outcome._tag !== "Refused") return assert.fail(JSON.stringify(outcome))
      assert.strictEqual(outcome.name, "rate-limited")
      assert.strictEqual(String(outcome.retryAfterSeconds), refused.headers.get("retry-after"))
      assert.include(outcome.message, `try again in ${outcome.retryAfterSeconds} s`)
      yield* allowed
      // OPTIONS without the header of a preflight is a request like any other
      assert.strictEqual(
        (yield* Effect.promise(() => fetch(url, { method: "OPTIONS" }))).status,
        429
      )
    })))

  it.live("are answered while the server refuses work", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* watchedServer(application({ limits: { requestsMax: 0 } }), {})
      const ask = (method: string) =>
        Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/tokens/1`, {
            method,
            headers: { "access-control-request-method": "GET" }
          })
        )
      assert.deepStrictEqual([(yield* ask("GET")).status, (yield* ask("OPTIONS")).status], [
        503,
        204
      ])
    })))
})

describe("slow clients and many connections", () => {
  const large = Layer.succeed(
    Application,
    bareApplication(
      ({ body, method, url }) =>
        method === "POST"
          ? Effect.match(body!(100), {
            onSuccess: () => ({ status: 200, headers: {}, body: "posted" }),
            onFailure: (name) => ({ status: 400, headers: {}, body: name })
          })
          : Effect.succeed({
            status: 200,
            headers: {},
            body: url === "/short" ? "short" : "x".repeat(40_000_000)
          }),
      ({ limit, message }) =>
        Effect.succeed({ status: 408, headers: {}, body: `${limit}: ${message}` })
    )
  )

  it.live("headers or a body that do not arrive end in 408", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* watchedServer(large, { headersTimeoutMs: 100, requestTimeoutMs: 300 })
      const headers = talk(port, "GET / HTTP/1.1\r\nHost: x\r\nX-A")
      const drip = setInterval(() => headers.socket.write("b"), 20)
      const body = talk(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
      assert.match(
        yield* Effect.promise(() => headers.received),
        /^HTTP\/1\.1 408 .*headersTimeoutMs: The headers did not arrive in time/su
      )
      clearInterval(drip)
      const received = yield* Effect.promise(() => body.received)
      assert.match(
        received,
        /^HTTP\/1\.1 408 .*requestTimeoutMs: The request did not arrive in time/su
      )
      assert.strictEqual(received.match(/HTTP\/1\.1/gu)!.length, 1)
      // a client that is in time is served
      assert.include(
        yield* Effect.promise(() =>
          talk(
            port,
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n1234567890"
          ).received
        ),
        "posted"
      )
    })))

  it.live("requests past their deadline are counted by the limit", () =>
    Effect.scoped(Effect.gen(function*() {
      const { hits, refuse } = yield* watchedApplication(application())
      for (const limit of ["headersTimeoutMs", "requestTimeoutMs"] as const) {
        assert.strictEqual(yield* hits(limit), 0)
        assert.strictEqual(
          yield* statusOf(refuse({ name: "request-timeout", message: "Too late", limit })),
          408
        )
        assert.strictEqual(yield* hits(limit), 1)
      }
    })))

  it.live("a client that does not read its response is disconnected", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port, hits } = yield* watchedServer(large, { sendTimeoutMs: 100 })
      const { socket, received } = talk(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      socket.pause()
      while ((yield* hits("sendTimeoutMs")) === 0) yield* Effect.sleep("10 millis")
      socket.resume()
      const { length } = yield* Effect.promise(() => received)
      assert.isBelow(length, 40_000_000)
      assert.include(
        yield* Effect.promise(() =>
          talk(port, "GET /short HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").received
        ),
        "short"
      )
    })))

  it.live("an idle connection is closed after the limit, and stays open while requests arrive", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port } = yield* watchedServer(large, { idleTimeoutMs: 50 })
      const { socket, received } = talk(port, "GET /short HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* Effect.promise(() => new Promise((resolve) => socket.once("data", resolve)))
      socket.write("GET /short HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.strictEqual(
        (yield* Effect.promise(() => received)).match(/HTTP\/1\.1 200/gu)!.length,
        2
      )
    })))

  it.live("as many connections are open as the limit; one more is closed at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port, hits } = yield* watchedServer(application(), { connectionsMax: 2 })
      const request = "GET /tokens/1 HTTP/1.1\r\nHost: x\r\n\r\n"
      const open = yield* Effect.forEach(
        [1, 2],
        () =>
          Effect.promise(() =>
            new Promise<ReturnType<typeof talk>>((resolve) => {
              const talking = talk(port, request)
              talking.socket.once("data", () => resolve(talking))
            })
          )
      )
      assert.strictEqual(yield* hits("httpConnectionsMax"), 0)
      assert.strictEqual(yield* Effect.promise(() => talk(port, request).received), "")
      assert.strictEqual(yield* hits("httpConnectionsMax"), 1)
      const preflight =
        "OPTIONS /tokens/1 HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: GET\r\n\r\n"
      assert.strictEqual(yield* Effect.promise(() => talk(port, preflight).received), "")
      assert.strictEqual(yield* hits("httpConnectionsMax"), 2)
      open[0]!.socket.destroy()
      yield* Effect.promise(() => open[0]!.received)
      while ((yield* Effect.promise(() => sendRaw(port, request)))?.status !== 200) {
        yield* Effect.sleep("10 millis")
      }
    })))
})
