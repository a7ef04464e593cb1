import { Effect } from "effect"
import type { Health, Metric, Monitor } from "../../core/ports/mod.ts"

/** A monitor, and what it was told. */
export interface OpenMonitor extends Monitor {
  readonly metrics: () => ReadonlyArray<Metric>
  /** How each part is now; one that does not say so in time is failing. */
  readonly health: Effect.Effect<{ readonly [name: string]: Health }>
}

/** How long a part may take to say how it is. */
const healthMaxMs = 2000

/**
 * Opens a monitor for one node. Give it to the node, or provide it as `Monitor` to its layers; then ask it.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { openNode } from "rollup-node-api/embed"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const monitor = openMonitor()
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis, monitor })
 * await node.fetch(new Request("http://node/tokens"))
 * const text = await Effect.runPromise(prometheusText(monitor.metrics()))
 * console.log(text.split("\n").find((line) => line.startsWith("rollup_http_requests_total{"))) // => rollup_http_requests_total{operation="getTokens",revision="later",status="200"} 1
 * await node.close()
 * ```
 */
export const openMonitor = (): OpenMonitor => {
  const metrics = new Set<Metric>()
  const checks = new Map<string, Effect.Effect<Health>>()
  return {
    measure: (...told) => Effect.acquireRelease(
      Effect.sync(() => { for (const metric of told) metrics.add(metric) }),
      () => Effect.sync(() => { for (const metric of told) metrics.delete(metric) })
    ),
    check: (name, health) => Effect.acquireRelease(
      Effect.sync(() => void checks.set(name, health)),
      () => Effect.sync(() => { if (checks.get(name) === health) checks.delete(name) })
    ),
    metrics: () => [...metrics],
    health: Effect.suspend(() => Effect.map(
      Effect.forEach([...checks], ([name, health]) => Effect.map(inTime(health), (health) => [name, health] as const), { concurrency: "unbounded" }),
      Object.fromEntries<Health>
    ))
  }
}

const inTime = (health: Effect.Effect<Health>): Effect.Effect<Health> =>
  health.pipe(
    Effect.timeoutOrElse({ duration: healthMaxMs, orElse: () => Effect.succeed<Health>({ state: "failing", detail: `There was no answer within ${healthMaxMs} ms` }) }),
    Effect.catchCause((cause) => Effect.as(
      Effect.logError("A health check failed in an unexpected way", cause), { state: "failing", detail: "The check itself failed: the log says how" } as const
    ))
  )
