import { Context, Data, Effect, Layer, type Redacted, type Scope, Struct } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { Monitor, Pool, type PoolStore } from "../../core/mod.ts"
import { limitHits } from "../../core/ports/mod.ts"
import { Application } from "../http/mod.ts"
import { serverLayer } from "../http/node/mod.ts"
import type { OpenMonitor } from "../metrics/mod.ts"
import { adminApplication } from "./_application.ts"
import { type FeedPorts, makeFeedHandler } from "./_feed.ts"
import { watchLedger } from "./_ledger_watch.ts"
import { measureHealth, type Phase, type Readiness, readinessOf } from "./_readiness.ts"
import type { NodeHandlers } from "./_resources.ts"
import { type AdminLimits, type CountedLimits, countedLimits } from "./limit.ts"
import { measureProcess } from "./process_metrics.ts"

/** Options of `openAdmin`. */
export interface AdminOptions {
  /** The port to listen on; 0 selects a free port. */
  readonly port: number
  /** The address to listen on; 127.0.0.1 by default, which other machines cannot reach. */
  readonly host?: string
  /**
   * The token for `/feed` and `/pool`, which do not exist without one. Use at least 16 characters.
   */
  readonly token?: Redacted.Redacted
  /** The monitor of the node: its metrics and health checks. */
  readonly monitor: OpenMonitor
  /** Time without a change of the ledger after which the process is not ready; none by default. */
  readonly ledgerAgeMaxMs?: number
  /**
   * Reads the result of the last `verify` as JSON, or null if there is none, for `/verification`.
   * Without this option the path does not exist.
   */
  readonly verification?: Effect.Effect<string | null, unknown>
  /** Each limit is that of `defaultAdminLimits` by default. */
  readonly limits?: Partial<AdminLimits>
}

/** The services of a node that the admin listener needs. */
export type AdminPorts = FeedPorts | Pool | PoolStore

/**
 * An open admin listener.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger, Pool } from "rollup-node-api"
 * import { openAdmin } from "rollup-node-api/admin"
 * import { keccak256, inlineVerifier } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { openMonitor } from "rollup-node-api/metrics"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const services = Layer.merge(Ledger.layer(genesis, keccak256), Pool.layer({ keccak256 })).pipe(
 *   Layer.provide(inlineVerifier(genesis.network)),
 *   Layer.provideMerge(Layer.merge(Memory.layer(genesis), Memory.poolLayer))
 * )
 * const program = Effect.gen(function*() {
 *   const admin = yield* openAdmin({ port: 0, monitor: openMonitor() })
 *   yield* admin.attachNode(yield* Layer.build(services))
 *   const ready = yield* Effect.promise(() => fetch(`${admin.url}/readyz`))
 *   const { state } = yield* Effect.promise(() => ready.json())
 *   console.log(ready.status, state) // => 200 ok
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 */
export interface Admin {
  /** The address of the listener, such as `http://127.0.0.1:9464`. */
  readonly url: string
  /** Returns what `/readyz` answers now. */
  readonly readiness: Effect.Effect<Readiness>
  /** Lets `/readyz` report the checks, until the scope closes: for a process without a node. */
  readonly markServing: Effect.Effect<void, never, Scope.Scope>
  /**
   * Attaches a node: `/readyz` reports it as ready, and `/feed` and `/pool` write to it. When the
   * scope closes, `/readyz` answers 503. Attach it in the scope of the node, so that this happens
   * first.
   */
  readonly attachNode: (
    node: Context.Context<AdminPorts>
  ) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Opens the admin listener, an HTTP server for operators, until the scope closes. It has `/livez`,
 * `/readyz` and `/metrics`, and `/feed` and `/pool` if there is a token. `/readyz` answers 503
 * until a node is attached. Fails with `AdminError` if it cannot listen.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { openAdmin } from "rollup-node-api/admin"
 * import { openMonitor } from "rollup-node-api/metrics"
 *
 * const program = Effect.gen(function*() {
 *   const admin = yield* openAdmin({ port: 0, monitor: openMonitor() })
 *   const metrics = yield* Effect.promise(() => fetch(`${admin.url}/metrics`))
 *   const text = yield* Effect.promise(() => metrics.text())
 *   console.log(metrics.status, text.includes("process_cpu_seconds_total")) // => 200 true
 *   const ready = yield* Effect.promise(() => fetch(`${admin.url}/readyz`))
 *   console.log(ready.status) // => 503
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 */
export const openAdmin = Effect.fnUntraced(
  function*(options: AdminOptions): Effect.fn.Return<Admin, AdminError, Scope.Scope> {
    const { monitor, token, verification } = options
    const limits = countedLimits(options.limits)
    const { hits } = limits
    let phase: Phase = "starting"
    let handlers: NodeHandlers | undefined
    const application = adminApplication({
      monitor,
      phase: () => phase,
      handlers: () => handlers,
      verification,
      token,
      limits
    })
    const url = yield* listen(options, limits, application)
    yield* withMonitor(monitor, measureProcess)
    yield* monitor.measure(...Struct.keys(hits).map((limit) => limitHits(limit, () => hits[limit])))
    yield* measureHealth(monitor)
    const markServing = Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => void (phase = "serving")),
      () => Effect.sync(() => void (phase = "stopping"))
    ))
    return {
      markServing,
      readiness: Effect.suspend(() => readinessOf(monitor, phase)),
      url,
      attachNode: Effect.fnUntraced(function*(node) {
        yield* withMonitor(monitor, watchLedger(node, options.ledgerAgeMaxMs))
        handlers = { feed: makeFeedHandler(node, limits), pool: Context.get(node, Pool) }
        yield* markServing
      })
    }
  }
)

const withMonitor = <A, E, R>(monitor: OpenMonitor | null, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Monitor, monitor)

/** A feed may take as long as it likes; this is the longest time that a timer of Node can have. */
const unlimitedMs = 2 ** 31 - 1

/** Serves the application until the scope closes, and returns its URL. */
const listen = (
  { host = "127.0.0.1", port }: AdminOptions,
  { adminConnectionsMax, adminHeadersTimeoutMs, hits }: CountedLimits,
  application: Application["Service"]
): Effect.Effect<string, AdminError, Scope.Scope> => {
  const server = serverLayer({
    host,
    port,
    // each worker process has an admin port of its own
    exclusive: true,
    // the node has stopped before
    shutdownTimeout: "250 millis",
    drain: 0,
    limits: {
      connectionsMax: adminConnectionsMax,
      headersTimeoutMs: adminHeadersTimeoutMs,
      requestTimeoutMs: unlimitedMs,
      idleTimeoutMs: 10_000,
      refusalDelayMaxMs: 0
    },
    onDrop: () => hits.adminConnectionsMax++
  })
  return Layer.build(Layer.provide(server, Layer.succeed(Application, application))).pipe(
    // the metrics of the HTTP server are those of the public interface
    (building) => withMonitor(null, building),
    Effect.map((services) =>
      HttpServer.formatAddress(Context.get(services, HttpServer.HttpServer).address)
    ),
    Effect.catchTag("ServeError", ({ cause }) =>
      Effect.fail(
        new AdminError({
          message: `Port ${port} of ${host} cannot be listened on for the admin interface: ${
            cause instanceof Error ? cause.message : String(cause)
          }`,
          cause
        })
      ))
  )
}

/**
 * The admin listener cannot listen. The message has the reason.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { openAdmin } from "rollup-node-api/admin"
 * import { openMonitor } from "rollup-node-api/metrics"
 *
 * const opening = Effect.gen(function*() {
 *   const { url } = yield* openAdmin({ port: 0, monitor: openMonitor() })
 *   const port = Number(new URL(url).port)
 *   return yield* Effect.flip(openAdmin({ port, monitor: openMonitor() }))
 * })
 * console.log((await Effect.runPromise(Effect.scoped(opening)))._tag) // => AdminError
 * ```
 */
export class AdminError
  extends Data.TaggedError("AdminError")<{ readonly message: string; readonly cause: unknown }>
{}
