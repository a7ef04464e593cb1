import { Context, Effect, Layer, Tracer } from "effect"
import { Writable } from "node:stream"
import { openRequestLog } from "../../adapters/admin/mod.ts"
import { Application, type TelemetryOptions } from "../../adapters/http/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { Monitor } from "../../core/mod.ts"
import { genesis } from "./_admin.ts"

/*
 * Measures what observability costs a request: node test/admin/cost.ts. The answers are cached and
 * there is no socket, so that nothing hides the difference. The figures are processor time on one
 * machine: compare only within a run.
 */

const [rounds, requests] = [31, 10_000]

const headers = {
  host: "127.0.0.1:8080",
  accept: "application/json",
  "user-agent": "cost",
  connection: "keep-alive"
}

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const to = new Writable({ write: (_, __, done) => done() })
  const log = yield* openRequestLog({ format: "json", to })
  const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
  const ways: ReadonlyArray<readonly [string, boolean, TelemetryOptions]> = [
    ["nothing", false, {}],
    ["nothing, again", false, {}],
    ["counts", true, {}],
    ["counts and log", true, { log }],
    ["counts and Server-Timing", true, { serverTiming: true }],
    ["counts and traces, none sampled", true, { traces: { tracer, ratio: 0 } }],
    ["counts and traces, all sampled", true, { traces: { tracer, ratio: 1 } }]
  ]
  const contenders = yield* Effect.forEach(ways, ([name, isCounted, telemetry]) =>
    Effect.map(
      Effect.provideService(
        Layer.build(Layer.fresh(memoryNode({ genesis, telemetry }))),
        Monitor,
        isCounted ? openMonitor() : null
      ),
      (node) => ({
        name,
        handle: Context.get(node, Application).handle,
        microseconds: [] as Array<number>
      })
    ))
  for (let round = -3; round < rounds; round++) {
    for (const { handle, microseconds } of contenders) {
      const before = process.cpuUsage()
      for (let i = 0; i < requests; i++) {
        yield* handle({ method: "GET", url: `/tokens?limit=${1 + i % 20}`, headers })
      }
      const { system, user } = process.cpuUsage(before)
      if (round >= 0) microseconds.push((user + system) / requests)
    }
  }
  const quantile = (values: ReadonlyArray<number>, share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!
  const least = quantile(contenders[0]!.microseconds, 0.5)
  for (const { microseconds, name } of contenders) {
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(microseconds, share))
    console.log(
      `${name.padEnd(34)} ${middle!.toFixed(2)} µs a request, ${
        (middle! - least).toFixed(2)
      } more (quartiles ${low!.toFixed(2)} to ${high!.toFixed(2)})`
    )
  }
})))
