import { journaledStores } from "../../adapters/journal/mod.ts"
import { watchHeap } from "../../app/process/heap_watch.ts"
import { temporaryDirectory } from "../journal/_directories.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { verifierWorkers } from "../../adapters/crypto/node.ts"
import { Application } from "../../adapters/http/mod.ts"
import { serverLayer } from "../../adapters/http/node/mod.ts"
import { openMonitor, prometheusText } from "../../adapters/metrics/mod.ts"
import { clientMetrics } from "../../adapters/sql/connection/_client_metrics.ts"
import { makeConnectionLimiter } from "../../adapters/sql/connection/_session_pool.ts"
import { monitorGroup, WorkerGroup } from "../../app/workers/mod.ts"
import { gauge, Ledger, Monitor, Submission } from "../../core/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { ask, blockFeed, blocks, feed, genesis, watched } from "./_admin.ts"
import { type ExposedFamily, readExposition, sampleOf } from "./_exposition.ts"
import { board, boardExpressions, faultsOf, namesIn, rules } from "./_monitoring.ts"

/*
 * A scrape of a node on which every kind of event happened; checks that dashboards and alerts use
 * existing metrics.
 */

class Scraped
  extends Context.Service<Scraped, ReadonlyMap<string, ExposedFamily>>()("test/admin/Scraped")
{}

const scraped = Layer.effect(
  Scraped,
  Effect.scoped(Effect.gen(function*() {
    const monitor = openMonitor()
    const limiter = makeConnectionLimiter({ connections: 1, permits: 1, waitMs: 1 })
    for (const role of ["reads", "writes"] as const) {
      yield* monitor.measure(
        ...clientMetrics({ role, connections: 1, sharing: 1 }, limiter.stats, () => 0)
      )
    }
    yield* Effect.ignore(limiter.withPermit(limiter.withPermit(Effect.void)))
    const verifier = verifierWorkers(genesis.network)
    const { admin, node } = yield* watched(
      { monitor },
      memoryNode({ genesis, verifier, answersBytesMax: 100_000 })
    )
    yield* watchHeap(undefined).pipe(Effect.provideService(Monitor, monitor))
    yield* Layer.build(journaledStores({ genesis, directory: yield* temporaryDirectory })).pipe(
      Effect.provideService(Monitor, monitor)
    )
    yield* Layer.build(
      serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provide(Layer.succeedContext(node)))
    ).pipe(Effect.provideService(Monitor, monitor))
    const { handle } = Context.get(node, Application)
    yield* Effect.ignore(
      Context.get(node, Ledger).applyBlock({
        ...blocks[0]!,
        hash: blocks[0]!.parentHash,
        parentHash: blocks[0]!.hash
      })
    )
    yield* feed(admin, blockFeed(0, 20))
    for (
      const url of [
        "/accounts?limit=2",
        "/accounts?limit=2",
        "/earlier/tokens",
        "/tokens?limit=0",
        "/nothing",
        `/${"x".repeat(9000)}`
      ]
    ) yield* handle({ method: "GET", url, headers: {} })
    yield* Effect.ignore(
      Context.get(node, Submission).submitTransaction({
        id: `0x02${"0".repeat(64)}`,
        type: "Exit",
        tokenId: 0,
        fromAccountIndex: 256,
        toAccountIndex: 1,
        toAddress: null,
        toPublicKey: null,
        amount: 1n,
        fee: 0,
        nonce: 0n,
        signature: "0".repeat(128),
        request: null
      })
    )
    // the monitor of a supervisor has metrics of its own
    const group = openMonitor()
    yield* monitorGroup(new WorkerGroup(2), group)
    return new Map([
      ...readExposition(yield* prometheusText(group)),
      ...readExposition((yield* ask(admin, "/metrics")).text)
    ])
  }))
)

layer(scraped, { excludeTestServices: true })("the metrics", (it) => {
  it.effect("have a type, a help text, the unit in the name and a sample", () =>
    Effect.gen(function*() {
      const families = yield* Scraped
      assert.isAbove(families.size, 40)
      for (const [name, { help, kind, samples }] of families) {
        assert.include(["counter", "gauge", "histogram"], kind, name)
        assert.isAbove(help.length, 10, name)
        assert.isAbove(samples.length, 0, `${name} has no sample`)
        assert.strictEqual(name.endsWith("_total"), kind === "counter", name)
      }
    }))

  it.effect("count every event that happened, by its labels", () =>
    Effect.gen(function*() {
      const families = yield* Scraped
      const counts: ReadonlyArray<readonly [string, { readonly [label: string]: string }, number]> =
        [
          ["http_requests", { operation: "getAccounts", revision: "later", status: "200" }, 2],
          ["http_requests", { operation: "none", revision: "later", status: "404" }, 1],
          ["http_requests", { operation: "none", revision: "later", status: "414" }, 1],
          ["limit_hits", { limit: "urlBytesMax" }, 1],
          ["limit_hits", { limit: "queueWaitMs", client: "reads" }, 1],
          ["http_problems", { problem: "url-too-long" }, 1],
          ["answers", { source: "hit" }, 1],
          ["submissions", { kind: "transaction", verdict: "refused" }, 1],
          ["ledger_writes", { kind: "block", outcome: "applied" }, 20]
        ]
      for (const [name, labels, expected] of counts) {
        const told = JSON.stringify(labels)
        assert.strictEqual(sampleOf(families, `rollup_${name}_total`, labels), expected, told)
      }
    }))

  it.effect("have histograms whose buckets grow up to their count", () =>
    Effect.gen(function*() {
      for (const [name, { kind, samples }] of yield* Scraped) {
        if (kind !== "histogram") continue
        const series = Map.groupBy(samples, ({ labels }) =>
          JSON.stringify({ ...labels, le: undefined }))
        for (const of of series.values()) {
          const buckets = of.filter((sample) =>
            sample.name === `${name}_bucket`
          )
          assert.isTrue(
            buckets.every(({ value }, i) => i === 0 || value >= buckets[i - 1]!.value),
            name
          )
          assert.strictEqual(buckets.at(-1)!.labels.le, "+Inf")
          assert.strictEqual(
            buckets.at(-1)!.value,
            of.find((sample) => sample.name === `${name}_count`)!.value
          )
        }
      }
    }))

  it.effect("exist with their labels for every alert, which says what to do", () =>
    Effect.gen(function*() {
      const families = yield* Scraped
      assert.isAbove(rules.length, 15)
      for (const { alert, annotations, expr } of rules) {
        assert.deepStrictEqual(faultsOf(expr, families), [], alert)
        assert.isAbove(annotations.action.length, 10, alert)
      }
    }))

  it.effect("exist for every panel of the dashboard, and every metric is on the dashboard", () =>
    Effect.gen(function*() {
      const families = yield* Scraped
      for (const { expr, title } of boardExpressions) {
        assert.deepStrictEqual(faultsOf(expr, families), [], title)
      }
      const shown = new Set(
        boardExpressions.flatMap(({ expr }) => namesIn(expr)).map(({ name }) =>
          name.replace(/_bucket$/u, "")
        )
      )
      assert.deepStrictEqual([...families.keys()].filter((name) => !shown.has(name)), [])
    }))

  it.effect("a misspelt name in a dashboard is found", () =>
    Effect.gen(function*() {
      const families = yield* Scraped
      assert.deepStrictEqual(faultsOf("rate(rollup_http_request_total[5m])", families), [
        "rollup_http_request_total is not measured"
      ])
      assert.deepStrictEqual(faultsOf("sum by (code) (rollup_health)", families), [
        "rollup_health has no label code"
      ])
      assert.deepStrictEqual(faultsOf('rollup_pool_transactions{state="gone"}', families), [
        'rollup_pool_transactions never has state="gone"'
      ])
    }))

  it.effect("every panel of the dashboard has a title of its own and a description", () =>
    Effect.sync(() => {
      for (const { description = "", title, type } of board.panels) {
        if (type !== "row") assert.match(description, /^[A-Z0-9][^\n]{15,}[^.\n]$/u, title)
        assert.match(title, /^[A-Z]\w*(?: [\w-]+)*$/u)
      }
      const titles = board.panels.map(({ title }) => title)
      assert.strictEqual(new Set(titles).size, titles.length)
      assert.deepStrictEqual(
        board.annotations.list.map(({ name }) => name),
        ["Starts of processes", "Rollbacks of the chain"]
      )
    }))

  it.effect("no two panels of the dashboard overlap, and each variable is used", () =>
    Effect.sync(() => {
      const cells = board.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
        Array.from({ length: h * w }, (_, i) => `${x + i % w} ${y + Math.floor(i / w)}`)
      )
      assert.strictEqual(new Set(cells).size, cells.length)
      for (const { name } of board.templating.list) {
        assert.include(
          JSON.stringify(board.panels),
          `$${name === "datasource" ? "{datasource}" : name}`
        )
      }
    }))

  it.effect("a metric that cannot be read does not affect the others, and is counted", () =>
    Effect.gen(function*() {
      const monitor = openMonitor()
      let isBroken = true
      const broken = Effect.suspend(() =>
        isBroken
          ? Effect.fail("no store")
          : Effect.succeed([gauge("rollup_broken", "Cannot be read at first", () => 2)])
      )
      yield* monitor.collect("rollup_broken", broken)
      yield* monitor.measure(
        gauge("rollup_whole", "Has \\ and \n in its words", () => 1.5, { of: 'a "b" \\ \n' })
      )
      const read = Effect.map(prometheusText(monitor), readExposition)
      for (const round of [1, 2, 3]) {
        isBroken = round !== 2
        const families = yield* read
        assert.strictEqual(sampleOf(families, "rollup_whole"), 1.5)
        assert.strictEqual(sampleOf(families, "rollup_metrics_unread"), isBroken ? 1 : 0)
        assert.strictEqual(sampleOf(families, "rollup_broken"), isBroken ? undefined : 2)
      }
    }))

  it.effect("a part that closes removes its metrics", () =>
    Effect.gen(function*() {
      const monitor = openMonitor()
      const read = Effect.map(prometheusText(monitor), readExposition)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* monitor.measure(gauge("rollup_measured", "Of a part", () => 1))
        yield* monitor.collect(
          "rollup_collected",
          Effect.sync(() => [gauge("rollup_collected", "Of a part", () => 2)])
        )
        assert.sameMembers([...(yield* read).keys()], [
          "rollup_metrics_unread",
          "rollup_measured",
          "rollup_collected"
        ])
      }))
      assert.deepStrictEqual([...(yield* read).keys()], ["rollup_metrics_unread"])
    }))
})
