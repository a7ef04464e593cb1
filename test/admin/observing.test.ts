import { bodyOf } from "../_answers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Metric, Redacted, Scope } from "effect"
import { Writable } from "node:stream"
import { charactersMax } from "../../adapters/admin/request_log.ts"
import { openOtlp, openRequestLog } from "../../adapters/admin/mod.ts"
import {
  Application,
  type HttpAnswer,
  type RequestRecord,
  type TelemetryOptions
} from "../../adapters/http/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { Monitor } from "../../core/mod.ts"
import { applicationOver } from "../http/_application.ts"
import { genesis } from "./_admin.ts"
import { openCollector, valuesOf } from "./_collector.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
const parent = (flags: string) => ({ traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` })

/** Returns a function that sends a request to a node in memory. */
const applied = (telemetry: TelemetryOptions) =>
  Effect.map(
    Layer.build(memoryNode({ genesis, telemetry })),
    (node) => (url: string, headers: { readonly [name: string]: string } = {}, method = "GET") =>
      Context.get(node, Application).handle({
        method,
        url,
        headers,
        peer: { remoteAddress: "127.0.0.9" }
      })
  )

/** Returns such a function, and the records of its requests. */
const logged = Effect.suspend(() => {
  const records: Array<RequestRecord> = []
  const log = (record: RequestRecord) => records.push(record)
  return Effect.map(applied({ log }), (handle) => ({ handle, records }))
})

describe("the telemetry of a request", () => {
  it.effect("adds nothing to a response by default", () =>
    Effect.gen(function*() {
      const handle = yield* applied({})
      const { headers, status } = yield* handle("/tokens", { "x-request-id": "mine" })
      assert.notProperty(headers, "x-request-id")
      assert.notProperty(headers, "server-timing")
      assert.notInclude(headers["access-control-expose-headers"], "X-Request-Id")
      assert.strictEqual(status, 200)
    }))

  it.effect("is one record for each request, whatever its outcome", () =>
    Effect.gen(function*() {
      const { handle, records } = yield* logged
      const expected = [
        ["GET", "/tokens", "getTokens", "later", 200, undefined],
        ["GET", "/tokens", "getTokens", "later", 200, undefined],
        ["GET", "/tokens?limit=0", "getTokens", "later", 400, "invalid-input"],
        ["HEAD", "/earlier/tokens", "getTokens", "earlier", 200, undefined],
        ["GET", "/nothing", "none", "later", 404, "unknown-path"],
        ["DELETE", "/tokens", "getTokens", "later", 405, "method-not-allowed"],
        ["GET", "/docs", "docs", "later", 200, undefined],
        ["OPTIONS", "/tokens", "options", "later", 204, undefined],
        ["POST", "/transactions-pool", "postTx", "later", 415, "unsupported-media-type"]
      ] as const
      const answers: Array<HttpAnswer> = []
      for (const [method, url] of expected) answers.push(yield* handle(url, {}, method))
      assert.deepStrictEqual(
        records.map((
          { method, operation, problem, revision, status, url }
        ) => [method, url, operation, revision, status, problem]),
        expected.map((row) => [...row])
      )
      assert.strictEqual(new Set(records.map(({ id }) => id)).size, records.length)
      for (const [i, { bytes, client, durationMs, id }] of records.entries()) {
        assert.strictEqual(answers[i]!.headers["x-request-id"], id)
        assert.strictEqual(bytes, bodyOf(answers[i]!).length)
        assert.strictEqual(client, "127.0.0.9")
        assert.isAtLeast(durationMs, 0)
      }
    }))

  it.effect("uses a client's own request id if it is harmless", () =>
    Effect.gen(function*() {
      const { handle } = yield* logged
      const cases: ReadonlyArray<readonly [isHarmless: boolean, ids: ReadonlyArray<string>]> = [
        [true, ["a-1_b.c:d", "x".repeat(64)]],
        [false, ["", "x".repeat(65), "a b", "a\nb", "\u001b[2J", "ä"]]
      ]
      for (const [isHarmless, ids] of cases) {
        for (const id of ids) {
          const { headers } = yield* handle("/tokens", { "x-request-id": id })
          assert.strictEqual(headers["x-request-id"] === id, isHarmless, id)
        }
      }
    }))

  it.effect("contains Server-Timing, which browsers may read", () =>
    Effect.gen(function*() {
      const { headers } = yield* (yield* applied({ serverTiming: true }))("/tokens")
      assert.match(headers["server-timing"]!, /^app;dur=\d+\.\d{3}$/u)
      assert.match(headers["access-control-expose-headers"]!, /Server-Timing$/u)
    }))

  it.effect("names the trace of the client, but not a malformed one", () =>
    Effect.gen(function*() {
      const { handle, records } = yield* logged
      const cases = [
        [parent("01").traceparent, traceId],
        [parent("00").traceparent, traceId],
        [`01-${traceId}-b7ad6b7169203331-01-later`, traceId],
        [`ff-${traceId}-b7ad6b7169203331-01`, undefined],
        [`00-${traceId}-b7ad6b7169203331-01-x`, undefined],
        [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, undefined],
        [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
        [parent("01").traceparent.toUpperCase(), undefined],
        ["", undefined]
      ] as const
      for (const [traceparent] of cases) yield* handle("/tokens", { traceparent })
      assert.deepStrictEqual(
        records.map(({ traceId }) => traceId),
        cases.map(([, expected]) => expected)
      )
    }))

  it.live("records a client that disconnects before its response as 499", () =>
    Effect.gen(function*() {
      const records: Array<RequestRecord> = []
      const monitor = openMonitor()
      const telemetry = { log: (record: RequestRecord) => records.push(record) }
      const context = yield* Effect.provideService(
        Layer.build(applicationOver({ list: () => Effect.never }, { telemetry })),
        Monitor,
        monitor
      )
      const scope = yield* Scope.make()
      yield* Effect.forkIn(
        Context.get(context, Application).handle({ method: "GET", url: "/tokens", headers: {} }),
        scope
      )
      yield* Effect.sleep(1)
      assert.deepStrictEqual(records, [])
      yield* Scope.close(scope, Exit.void)
      assert.lengthOf(records, 1)
      assert.deepInclude(records[0], { operation: "getTokens", status: 499 })
      const inFlight = Metric.snapshotUnsafe(yield* monitor.exportContext).filter(({ id }) =>
        id === "rollup_http_requests_in_flight"
      )
      assert.deepStrictEqual(inFlight.map(({ state }) => state), [{ value: 0 }])
    }))
})

const record: RequestRecord = {
  id: "r-1",
  method: "GET",
  url: "/tokens?name=%22",
  operation: "getTokens",
  revision: "later",
  status: 200,
  problem: undefined,
  durationMs: 1.23456,
  bytes: 10,
  client: "127.0.0.1",
  traceId
}

describe("the log of requests", () => {
  /** Each write is complete when its callback is called. */
  const target = (take: (text: string, done: () => void) => void) =>
    new Writable({ decodeStrings: false, write: (text: string, _, done) => take(text, done) })
  /** Returns the writes of a log to a pipe that other processes share. */
  const written = (format: "text" | "json", records: ReadonlyArray<RequestRecord>) =>
    Effect.gen(function*() {
      const writes: Array<string> = []
      const to = target((text, done) => {
        writes.push(text)
        setImmediate(done)
      })
      yield* Effect.scoped(
        Effect.map(openRequestLog({ format, to, isShared: true }), (log) => records.forEach(log))
      )
      return writes
    })

  it.live("is a JSON object on each line", () =>
    Effect.gen(function*() {
      const url = '/\n"x\u00e9\u{1f600}\ud800\\'
      const refused: RequestRecord = { ...record, status: 503, problem: "unavailable", url }
      const all = (yield* written("json", [record, refused])).join("")
      // in any encoding
      assert.match(all, /^[\n\x20-\x7e]+$/u)
      const [first, second] = all.trimEnd().split("\n").map((line) =>
        JSON.parse(line) as { readonly [name: string]: unknown }
      )
      assert.deepInclude(first, {
        level: "INFO",
        message: "Request",
        id: "r-1",
        status: 200,
        durationMs: 1.235,
        traceId
      })
      assert.match(String(first!.timestamp), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u)
      assert.deepInclude(second, { level: "WARN", problem: "unavailable", url })
    }))

  it.live("is readable on a terminal, and no input of a client can move its cursor", () =>
    Effect.gen(function*() {
      const url = "/a\u001b[2J\r\nb\u0000\u009b\ud800ü"
      const [line] = yield* written("text", [{ ...record, url }])
      assert.match(
        line!,
        /^\[[\d:.]{12}\] INFO 200 GET \/a%1B\[2J%0D%0Ab%00%C2%9B%EF%BF%BD%C3%BC 1\.23 ms 10 B getTokens 127\.0\.0\.1 r-1\n$/u
      )
    }))

  it.live("is written in pieces that stay whole in a pipe, in order, up to its last line", () =>
    Effect.gen(function*() {
      const ids = Array.from({ length: 100 }, (_, i) => `r-${i}`)
      const url = `/${"x".repeat(3000)}`
      const writes = yield* written("json", ids.map((id) => ({ ...record, id, url })))
      assert.isTrue(writes.every((lines) => lines.length <= 4096 && lines.endsWith("\n")))
      const lines = writes.join("").trimEnd().split("\n")
      assert.deepStrictEqual(lines.map((line) => (JSON.parse(line) as RequestRecord).id), ids)
    }))

  it.live("is written about fifty milliseconds after the request, or together with many others", () =>
    Effect.gen(function*() {
      const writes: Array<string> = []
      const to = target((text, done) => {
        writes.push(text)
        done()
      })
      const log = yield* openRequestLog({ format: "json", to })
      for (let i = 0; i < 64; i++) log(record)
      const lines = () => writes.map((text) => text.split("\n").length - 1)
      assert.deepStrictEqual(lines(), [64])
      log(record)
      assert.deepStrictEqual(lines(), [64])
      while (writes.length < 2) yield* Effect.sleep(5)
      assert.deepStrictEqual(lines(), [64, 1])
    }))

  it.live("is bounded if its reader stops, and reports the dropped lines", () =>
    Effect.gen(function*() {
      const lines: Array<{ readonly message: string; readonly url?: string }> = []
      const waiting: Array<() => void> = []
      let isReading = false
      const to = target((text, done) => {
        for (const line of text.trimEnd().split("\n")) lines.push(JSON.parse(line) as never)
        if (isReading) done()
        else waiting.push(done)
      })
      const log = yield* openRequestLog({ format: "json", to })
      const urlCharacters = 2000
      const all = 64 * Math.ceil(charactersMax / urlCharacters / 64) + 64
      for (let i = 0; i < all; i++) log({ ...record, url: `/${i}`.padEnd(urlCharacters, "x") })
      // one write at a time, however many wait
      assert.lengthOf(waiting, 1)
      assert.lengthOf(lines, 64)
      isReading = true
      waiting[0]!()
      while (lines.at(-1)!.message === "Request") yield* Effect.sleep(1)
      const numbers = lines.slice(0, -1).map(({ url }) => Number.parseInt(url!.slice(1), 10))
      assert.deepStrictEqual(numbers, [...numbers.keys()])
      assert.isBelow(numbers.length, all)
      assert.strictEqual(
        lines.at(-1)!.message,
        `Lines of ${all - numbers.length} requests were dropped: the log is read too slowly`
      )
    }))
})

describe("exports to OpenTelemetry", () => {
  it.live("spans of the sampled requests, and the metrics that Prometheus sees", () =>
    Effect.gen(function*() {
      const collector = yield* Effect.promise(openCollector)
      yield* Effect.scoped(Effect.gen(function*() {
        const monitor = openMonitor()
        const { snapshotMetrics, tracer } = yield* openOtlp({
          url: `${collector.url}/`,
          monitor,
          headers: { authorization: Redacted.make("Bearer secret") }
        })
        const ask = yield* Effect.provideService(
          applied({ traces: { tracer, ratio: 0 } }),
          Monitor,
          monitor
        )
        yield* ask("/tokens", parent("01"))
        yield* ask("/tokens/99?x", parent("01"))
        // neither is sampled: the first by its header, the others by the share of 0
        yield* ask("/tokens", parent("00"))
        yield* ask("/tokens")
        yield* snapshotMetrics
      }))
      yield* Effect.promise(collector.close)
      assert.isTrue(
        collector.collected.every(({ headers }) => headers.authorization === "Bearer secret")
      )
      // a collector tells the processes of a group apart by their instance
      const instances = [
        ...collector.exported("/v1/traces", "resourceSpans"),
        ...collector.exported("/v1/metrics", "resourceMetrics")
      ].map(({ resource }) => valuesOf(resource.attributes)["service.instance.id"])
      assert.isAbove(instances.length, 1)
      assert.strictEqual(new Set(instances).size, 1)
      assert.match(String(instances[0]), /^[\da-f-]{36}$/u)

      const spans = collector.spans()
      assert.deepStrictEqual(
        spans.map(({ kind, name, parentSpanId, traceId }) => [name, traceId, parentSpanId, kind]),
        ["getTokens", "getToken"].map((name) => [name, traceId, "b7ad6b7169203331", 2])
      )
      assert.deepInclude(valuesOf(spans[1]!.attributes), {
        "http.request.method": "GET",
        "url.path": "/tokens/99",
        "url.query": "x",
        "rollup.operation": "getToken",
        "error.type": "invalid-input"
      })

      const { metrics } = collector.exported("/v1/metrics", "resourceMetrics").at(-1)!
        .scopeMetrics[0]!
      const metric = (name: string) => metrics.find((metric) => metric.name === name)!
      const { dataPoints, isMonotonic } = metric("rollup_http_requests_total").sum
      assert.isTrue(isMonotonic)
      const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
      assert.strictEqual(sum(dataPoints.map(({ asDouble }) => asDouble)), 4)
      const [duration] = metric("rollup_http_request_duration_seconds").histogram.dataPoints
      const { bucketCounts, count, explicitBounds } = duration!
      assert.strictEqual(bucketCounts.length, explicitBounds.length + 1)
      assert.strictEqual(sum(bucketCounts), count)
    }))

  it.live("all requests if all are sampled, each as its own trace", () =>
    Effect.gen(function*() {
      const collector = yield* Effect.promise(openCollector)
      yield* Effect.scoped(Effect.gen(function*() {
        const { tracer } = yield* openOtlp({ url: collector.url, monitor: openMonitor() })
        const handle = yield* applied({ traces: { tracer, ratio: 1 } })
        for (let i = 0; i < 3; i++) yield* handle("/tokens")
      }))
      yield* Effect.promise(collector.close)
      assert.strictEqual(new Set(collector.spans().map(({ traceId }) => traceId)).size, 3)
    }))
})
