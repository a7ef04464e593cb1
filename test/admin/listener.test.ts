import { assert, describe, it, vi } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { type Admin, openAdmin } from "../../adapters/admin/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { type Health, Ledger, LedgerReader, StoreFailure } from "../../core/mod.ts"
import {
  ask,
  blocks,
  genesis,
  get,
  lineHeaders,
  nodeWith,
  portOf,
  post,
  readinessOf,
  token,
  watched
} from "./_admin.ts"

describe("the admin listener", () => {
  it.live("is alive from the start, ready while it serves, and unready before anything else stops", () =>
    Effect.gen(function*() {
      const [outer, inner] = [yield* Scope.make(), yield* Scope.make()]
      const admin = yield* Scope.provide(
        openAdmin({ port: 0, monitor: openMonitor(), token: Redacted.make(token) }),
        outer
      )
      const node = yield* Scope.provide(Layer.build(memoryNode({ genesis })), outer)
      const states = Effect.gen(function*() {
        const [live, ready] = [yield* ask(admin, "/livez"), yield* readinessOf(admin)]
        const feed = yield* get(admin, "/feed")
        return [
          live.status,
          ready.status,
          ready.state,
          feed.status,
          feed.headers.get("retry-after")
        ]
      })
      assert.deepStrictEqual(yield* states, [200, 503, "starting", 503, "1"])
      yield* Scope.provide(admin.attachNode(node), inner)
      assert.deepStrictEqual(yield* states, [200, 200, "ok", 200, null])
      yield* Scope.close(inner, Exit.void)
      assert.deepStrictEqual(yield* states, [200, 503, "stopping", 503, "1"])
      yield* Scope.close(outer, Exit.void)
      assert.isTrue(yield* Effect.promise(() => fetch(admin.url).then(() => false, () => true)))
    }))

  it.live("answers /metrics without the memory of the process if no file descriptor is free to read it", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      vi.spyOn(process, "memoryUsage").mockImplementation(() => assert.fail("EMFILE"))
      const { status, text } = yield* Effect.ensuring(
        ask(admin, "/metrics"),
        Effect.sync(vi.restoreAllMocks)
      )
      assert.strictEqual(status, 200)
      assert.include(text, "\nrollup_metrics_unread 1\n")
      assert.include(text, "\nprocess_cpu_seconds_total ")
    }))

  it.live("reports the state of each part: a degraded one is reported, a failing one makes the process unready", () =>
    Effect.gen(function*() {
      const monitor = openMonitor()
      const { admin } = yield* watched({ monitor })
      const healths: ReadonlyArray<readonly [Health, number]> = [
        [{ state: "degraded", detail: "No writer" }, 200],
        [{ state: "failing", detail: "The database does not answer" }, 503]
      ]
      for (const [health, status] of healths) {
        yield* monitor.check("writer", Effect.succeed(health))
        const ready = yield* readinessOf(admin)
        assert.deepInclude(ready, { status, state: health.state })
        assert.deepStrictEqual(ready.checks.writer, health)
      }
      yield* monitor.check("broken", Effect.die("no such check"))
      assert.strictEqual((yield* readinessOf(admin)).checks.broken?.state, "failing")
    }))

  it.live("a ledger that cannot be read, or has not changed for too long, makes the process unready", () =>
    Effect.gen(function*() {
      const failure = new StoreFailure({ message: "The database is gone", retry: true })
      const { admin: gone } = yield* watched(
        {},
        nodeWith(LedgerReader, () => ({ snapshotId: Effect.fail(failure) }))
      )
      const ledgerOf = (admin: Admin) =>
        Effect.map(readinessOf(admin), ({ checks, status }) => `${status} ${checks.ledger!.detail}`)
      assert.match(yield* ledgerOf(gone), /^503 .*The database is gone/u)

      const { admin, node } = yield* watched({ ledgerAgeMaxMs: 0 })
      // the first read of the ledger counts as its last change
      yield* ledgerOf(admin)
      yield* Effect.sleep(5)
      // also if the clock has gone back
      const { now } = Date
      const old = yield* Effect.acquireUseRelease(
        Effect.sync(() => void (Date.now = () => now() - 3_600_000)),
        () => ledgerOf(admin),
        () => Effect.sync(() => void (Date.now = now))
      )
      assert.match(old, /^503 .*expected at most 0 s/u)
      yield* Context.get(node, Ledger).applyBlock(blocks[0]!)
      assert.match(yield* ledgerOf(admin), /version [1-9]/u)
    }))

  it.live("prices make no ledger younger, whose blocks do not arrive; a block does", () =>
    Effect.gen(function*() {
      const { admin, node } = yield* watched({ ledgerAgeMaxMs: 500 })
      const { applyBlock, setPrices } = Context.get(node, Ledger)
      const status = Effect.map(readinessOf(admin), (readiness) => readiness.status)
      assert.strictEqual(yield* status, 200)
      yield* Effect.sleep(550)
      yield* setPrices([{ tokenId: 0, priceUSD: 4, timeMs: 5 }])
      assert.strictEqual(yield* status, 503)
      yield* applyBlock(blocks[0]!)
      assert.strictEqual(yield* status, 200)
    }))

  it.live("without a token the paths that write do not exist", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({ token: undefined as never })
      for (const path of ["/feed", "/pool", "/pool/0x1"]) {
        const [got, posted] = [yield* get(admin, path), yield* post(admin, path, "{}")]
        assert.deepStrictEqual([got.status, posted.status], [404, 404])
      }
    }))

  it.live("a client without the token is refused before the body is read, and learns nothing", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const wrong = [
        "",
        "Bearer",
        "Bearer ",
        `Bearer ${token}x`,
        `Bearer ${token.slice(1)}`,
        `Bearer ${token.toUpperCase()}`,
        `Basic ${token}`,
        token,
        `Bearer x${token}`
      ]
      for (const authorization of wrong) {
        for (const path of ["/feed", "/pool"]) {
          const answer = yield* post(admin, path, "x".repeat(100_000), { authorization })
          assert.strictEqual(answer.status, 401, authorization)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
          assert.notInclude(answer.text, token)
        }
      }
      const spelled = { headers: { authorization: `bearer ${token}` } }
      assert.strictEqual((yield* ask(admin, "/feed", spelled)).status, 200)
    }))

  it.live("answers as the HTTP interface does: unknown paths and methods, final slash, OPTIONS, HEAD, types of bodies", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const withToken = { headers: lineHeaders }
      const lines = { ...withToken, method: "POST", body: "{}" }
      const posted = (headers: object) => ({ ...lines, headers: { ...lineHeaders, ...headers } })
      const [get, options] = ["GET, HEAD, OPTIONS", { method: "OPTIONS" }]
      const rows: ReadonlyArray<
        readonly [path: string, RequestInit, status: number, told: RegExp, headers?: object]
      > = [
        ["/metric", {}, 404, /did you mean \/metrics\?/u],
        ["/nothing", {}, 404, /: \/ lists all/u],
        ["/metrics", { method: "POST" }, 405, /GET/u, { allow: get }],
        ["/livez", { method: "DELETE" }, 405, /GET/u, { allow: get }],
        ["/feed", { ...withToken, method: "PUT" }, 405, /POST/u],
        ["/feed", { method: "PUT" }, 401, /Authorization: Bearer/u],
        ["/feed", posted({ "content-type": "application/json" }), 415, /x-ndjson/u],
        ["/feed", posted({ "content-encoding": "gzip" }), 415, /gzip/u],
        [
          "/feed",
          posted({ "content-type": "application/x-ndjson; charset=latin1" }),
          415,
          /latin1/u
        ],
        ["/metrics/?x", {}, 301, /^$/u, { location: "/metrics?x" }],
        ["/feed/", lines, 307, /^$/u, { location: "/feed" }],
        ["/livez", options, 204, /^$/u, { allow: get }],
        ["/feed", options, 401, /Authorization: Bearer/u],
        ["/readyz", { method: "HEAD" }, 200, /^$/u]
      ]
      for (const [path, init, status, told, headers = {}] of rows) {
        const answer = yield* ask(admin, path, { ...init, redirect: "manual" })
        assert.strictEqual(answer.status, status, path)
        assert.match(answer.text, told)
        if (status >= 400) assert.deepInclude(answer.json as object, { status, instance: path })
        assert.deepInclude(Object.fromEntries(answer.headers), headers)
        // no page of another origin may read an answer of this listener
        assert.isNull(answer.headers.get("access-control-allow-origin"), path)
      }
    }))

  it.live("reports a port that is in use", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const port = portOf(admin)
      const { message } = yield* Effect.flip(openAdmin({ port, monitor: openMonitor() }))
      const told = `Port ${port} of 127.0.0.1 cannot be listened on for the admin interface: `
      assert.isTrue(message.startsWith(told), message)
    }))
})
