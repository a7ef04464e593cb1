import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { openAdmin } from "../../adapters/admin/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { Ledger, LedgerReader, type Health, StoreFailure } from "../../core/mod.ts"
import { sendRaw } from "../http/_socket.ts"
import { ask, blocks, genesis, get, post, token, watched } from "./_admin.ts"

interface Ready {
  readonly state: string
  readonly checks: { readonly [name: string]: Health }
}

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
        const [live, ready] = [yield* ask(admin, "/livez"), yield* ask(admin, "/readyz")]
        return [live.status, ready.status, (ready.json as Ready).state]
      })
      assert.deepStrictEqual(yield* states, [200, 503, "starting"])
      const early = yield* get(admin, "/feed")
      assert.strictEqual(early.status, 503)
      assert.strictEqual(early.headers.get("retry-after"), "1")
      yield* Scope.provide(admin.attachNode(node), inner)
      assert.deepStrictEqual(yield* states, [200, 200, "ok"])
      yield* Scope.close(inner, Exit.void)
      assert.deepStrictEqual(yield* states, [200, 503, "stopping"])
      assert.strictEqual((yield* get(admin, "/feed")).status, 503)
      yield* Scope.close(outer, Exit.void)
      assert.isTrue(yield* Effect.promise(() => fetch(admin.url).then(() => false, () => true)))
    }))

  it.live("reports the state of each part: a degraded one is reported, a failing one makes the process unready", () =>
    Effect.scoped(Effect.gen(function*() {
      const monitor = openMonitor()
      const { admin } = yield* watched({ monitor })
      let health: Health = { state: "degraded", detail: "No writer" }
      yield* monitor.check("writer", Effect.sync(() => health))
      const degraded = yield* ask(admin, "/readyz")
      assert.strictEqual(degraded.status, 200)
      assert.deepInclude(degraded.json as Ready, { state: "degraded" })
      assert.deepStrictEqual((degraded.json as Ready).checks.writer, health)
      health = { state: "failing", detail: "The database does not answer" }
      assert.strictEqual((yield* ask(admin, "/readyz")).status, 503)
      yield* monitor.check("broken", Effect.die("no such check"))
      assert.deepInclude(((yield* ask(admin, "/readyz")).json as Ready).checks.broken, {
        state: "failing"
      })
    })))

  it.live("a ledger that cannot be read, or has not changed for too long, makes the process unready", () =>
    Effect.scoped(Effect.gen(function*() {
      const failure = new StoreFailure({ message: "The database is gone", retry: true })
      const node = yield* Layer.build(memoryNode({ genesis }))
      const admin = yield* openAdmin({ port: 0, monitor: openMonitor() })
      yield* admin.attachNode(
        Context.add(node, LedgerReader, {
          ...Context.get(node, LedgerReader),
          snapshotId: Effect.fail(failure)
        })
      )
      const gone = yield* ask(admin, "/readyz")
      assert.strictEqual(gone.status, 503)
      assert.match((gone.json as Ready).checks.ledger!.detail, /The database is gone/u)

      const { admin: still, node: feeding } = yield* watched({ ledgerAgeMaxMs: 0 })
      // the first read of the ledger counts as its last change
      yield* ask(still, "/readyz")
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
      const old = yield* ask(still, "/readyz")
      assert.strictEqual(old.status, 503)
      assert.match((old.json as Ready).checks.ledger!.detail, /expected at most 0 s/u)
      yield* Context.get(feeding, Ledger).applyBlock(blocks[0]!)
      assert.match(
        ((yield* ask(still, "/readyz")).json as Ready).checks.ledger!.detail,
        /version [1-9]/u
      )
    })))

  it.live("without a token the paths that write do not exist", () =>
    Effect.scoped(Effect.gen(function*() {
      const node = yield* Layer.build(memoryNode({ genesis }))
      const admin = yield* openAdmin({ port: 0, monitor: openMonitor() })
      yield* admin.attachNode(node)
      for (const path of ["/feed", "/pool", "/pool/0x1"]) {
        const [got, posted] = [yield* get(admin, path), yield* post(admin, path, "{}")]
        assert.deepStrictEqual([got.status, posted.status], [404, 404])
      }
      assert.notInclude((yield* ask(admin, "/")).text, '"/feed"')
    })))

  it.live("a client without the token is refused before the body is read, and learns nothing", () =>
    Effect.scoped(Effect.gen(function*() {
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
          const answer = yield* ask(admin, path, {
            method: "POST",
            body: "x".repeat(100_000),
            headers: { authorization, "content-type": "application/x-ndjson" }
          })
          assert.strictEqual(answer.status, 401, authorization)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
          assert.notInclude(answer.text, token)
        }
      }
      assert.strictEqual(
        (yield* ask(admin, "/feed", { headers: { authorization: `bearer ${token}` } })).status,
        200
      )
    })))

  it.live("refuses unknown paths in the usual form, and answers HEAD", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      for (
        const [path, init, status] of [
          ["/nothing", {}, 404],
          ["/metrics", { method: "POST" }, 405],
          ["/livez", { method: "DELETE" }, 405],
          ["/feed", { method: "PUT", headers: { authorization: `Bearer ${token}` } }, 405],
          ["/feed", {
            method: "POST",
            body: "{}",
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
          }, 415],
          ["/feed", {
            method: "POST",
            body: "{}",
            headers: {
              authorization: `Bearer ${token}`,
              "content-type": "application/x-ndjson",
              "content-encoding": "gzip"
            }
          }, 415]
        ] as const
      ) {
        const answer = yield* ask(admin, path, init)
        assert.strictEqual(answer.status, status, path)
        const problem = answer.json as {
          readonly status: number
          readonly message: string
          readonly instance: string
        }
        assert.deepInclude(problem, { status, instance: path })
      }
      const slash = yield* ask(admin, "/metrics/?x", { redirect: "manual" })
      assert.deepStrictEqual([slash.status, slash.headers.get("location")], [301, "/metrics?x"])
      const head = yield* ask(admin, "/readyz", { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      const { paths } = (yield* ask(admin, "/")).json as {
        readonly paths: ReadonlyArray<{ readonly path: string }>
      }
      assert.isAtLeast(paths.length, 7)
    })))

  it.live("answers as the HTTP interface does: final slash, OPTIONS, nearest path, charset", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const authorization = `Bearer ${token}`
      const lines = (type: string) => ({
        method: "POST",
        body: "{}",
        headers: { authorization, "content-type": type }
      })
      const rows: ReadonlyArray<
        readonly [path: string, init: RequestInit, status: number, told: RegExp]
      > = [
        ["/feed/", { ...lines("application/x-ndjson"), redirect: "manual" }, 307, /^$/u],
        ["/livez", { method: "OPTIONS" }, 204, /^$/u],
        ["/feed", { method: "OPTIONS" }, 401, /Authorization: Bearer/u],
        ["/feed", { method: "PUT" }, 401, /Authorization: Bearer/u],
        ["/metric", {}, 404, /\/metrics/u],
        ["/feed", lines("application/x-ndjson; charset=latin1"), 415, /latin1/u]
      ]
      for (const [path, init, status, told] of rows) {
        const answer = yield* ask(admin, path, init)
        assert.strictEqual(answer.status, status, path)
        assert.match(answer.text, told)
        // no page of another origin may read an answer of this listener
        assert.isNull(answer.headers.get("access-control-allow-origin"), path)
      }
      assert.strictEqual(
        (yield* ask(admin, "/livez", { method: "OPTIONS" })).headers.get("allow"),
        "GET, HEAD, OPTIONS"
      )
      assert.strictEqual(
        (yield* ask(admin, "/feed/", { ...rows[0]![1] })).headers.get("location"),
        "/feed"
      )
    })))

  it.live("names the target of a refused request as a URI reference, whatever its bytes are", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const port = Number(new URL(admin.url).port)
      for (const [target, instance] of [['/"x', "/%22x"], ["//x", "/%2Fx"], ["/{a}", "/%7Ba%7D"]]) {
        const answer = yield* Effect.promise(() =>
          sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
        )
        assert.deepInclude(JSON.parse(answer!.body), { status: 404, instance })
      }
    })))

  it.live("reports a port that is in use", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const port = Number(new URL(admin.url).port)
      const error = yield* Effect.flip(openAdmin({ port, monitor: openMonitor() }))
      assert.match(
        error.message,
        new RegExp(
          `^Port ${port} of 127\\.0\\.0\\.1 cannot be listened on for the admin interface: `,
          "u"
        )
      )
    })))
})
