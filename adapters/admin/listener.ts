import { Cause, Context, Data, Effect, Exit, type Redacted, type Scope, Struct } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import {
  Ledger,
  LedgerReader,
  LedgerTip,
  LedgerWriter,
  Monitor,
  Pool,
  PoolStore
} from "../../core/mod.ts"
import { limitHits } from "../../core/ports/mod.ts"
import type { OpenMonitor } from "../metrics/mod.ts"
import { answerClientErrors } from "./_client_errors.ts"
import { makeFeedHandler } from "./_feed.ts"
import { watchLedger } from "./_ledger_watch.ts"
import { makePoolHandler } from "./_pool.ts"
import { measureHealth, type Phase, type Readiness, readinessOf } from "./_readiness.ts"
import { refusal, type Reply } from "./_reply.ts"
import { makeRoutes, type NodeHandlers, tokenChecker } from "./_routes.ts"
import { type AdminLimits, defaultAdminLimits, noHits } from "./limit.ts"
import { measureProcess } from "./process_metrics.ts"

// see adapters/http/node/server.ts
const { createServer } = process.getBuiltinModule("node:http")

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
export type AdminPorts = Ledger | LedgerReader | LedgerWriter | Pool | PoolStore

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

/** Time for pending answers when the scope closes; the node has stopped before. */
const closeMs = 250

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
    const { host = "127.0.0.1", monitor, port, token } = options
    const limits = { ...defaultAdminLimits, ...options.limits }
    const {
      adminBodyIdleMs: idleMs,
      adminHeaderBytesMax,
      adminHeadersTimeoutMs,
      feedLineBytesMax,
      poolBodyBytesMax
    } = limits
    const hits = noHits()
    let phase: Phase = "starting"
    let handlers: NodeHandlers | undefined
    const reply = makeRoutes({
      monitor,
      phase: () => phase,
      handlers: () => handlers,
      verification: options.verification,
      isAllowed: token === undefined ? null : tokenChecker(token)
    })
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const server = createServer({
      requestTimeout: 0,
      headersTimeout: adminHeadersTimeoutMs,
      connectionsCheckingInterval: Math.max(10, Math.min(1000, adminHeadersTimeoutMs / 4)),
      maxHeaderSize: adminHeaderBytesMax,
      keepAliveTimeout: 10_000
    }, (request, response) => {
      const fiber = run(
        reply(request).pipe(
          Effect.tapCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.void
              : Effect.logError("A request to the admin listener failed", cause)
          ),
          Effect.map((reply) => send(reply, request, response))
        )
      )
      response.once("close", () => void fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) {
          send(
            refusal(
              {
                name: "internal",
                message: "An internal error occurred: the log contains the cause"
              },
              request.url!
            ),
            request,
            response
          )
        }
      })
    })
    server.maxConnections = limits.adminConnectionsMax
    server.on("drop", () => hits.adminConnectionsMax++)
    answerClientErrors(server, hits)
    const { address, family, port: boundPort } = yield* Effect.acquireRelease(
      listen(server, port, host),
      () => close(server)
    )
    yield* withMonitor(monitor, measureProcess)
    yield* monitor.measure(...Struct.keys(hits).map((limit) => limitHits(limit, () => hits[limit])))
    yield* measureHealth(monitor)
    const markServing = Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => {
        phase = "serving"
      }),
      () =>
        Effect.sync(() => {
          phase = "stopping"
        })
    ))
    return {
      markServing,
      readiness: Effect.suspend(() => readinessOf(monitor, phase)),
      url: `http://${family === "IPv6" ? `[${address}]` : address}:${boundPort}`,
      attachNode: Effect.fnUntraced(function*(node) {
        const reader = Context.get(node, LedgerReader)
        yield* withMonitor(
          monitor,
          watchLedger({
            reader,
            pool: Context.get(node, PoolStore),
            tip: Context.get(node, LedgerTip),
            ledgerAgeMaxMs: options.ledgerAgeMaxMs
          })
        )
        handlers = {
          feed: makeFeedHandler({
            ledger: Context.get(node, Ledger),
            reader,
            writer: Context.get(node, LedgerWriter)
          }, {
            idleMs,
            lineBytesMax: feedLineBytesMax,
            onHit: (limit) => hits[limit === "idleMs" ? "adminBodyIdleMs" : "feedLineBytesMax"]++,
            recordMaxMs: limits.feedRecordTimeoutMs,
            onTimeout: () => hits.feedRecordTimeoutMs++
          }),
          pool: makePoolHandler(Context.get(node, Pool), {
            idleMs,
            lineBytesMax: poolBodyBytesMax,
            bodyBytesMax: poolBodyBytesMax,
            onHit: (limit) => hits[limit === "idleMs" ? "adminBodyIdleMs" : "poolBodyBytesMax"]++
          })
        }
        yield* markServing
      })
    }
  }
)

const withMonitor = <A, E, R>(monitor: OpenMonitor, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Monitor, monitor)

const listen = (
  server: Server,
  port: number,
  host: string
): Effect.Effect<AddressInfo, AdminError> =>
  Effect.callback((resume) => {
    server.once("error", (error) =>
      resume(Effect.fail(
        new AdminError({
          message:
            `Port ${port} of ${host} cannot be listened on for the admin interface: ${error.message}`,
          cause: error
        })
      )))
    // exclusive: each worker process has an admin port of its own
    server.listen({ port, host, exclusive: true }, () =>
      resume(Effect.succeed(server.address() as AddressInfo)))
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), closeMs)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** How long the rest of an unread body is read, so that the client can read the answer. */
const lingerMs = 2000

/**
 * Returns whether a body follows the headers. Node sets `complete` of a request without a body only
 * after the listener has returned.
 */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const send = (
  { body, headers, status }: Reply,
  request: IncomingMessage,
  response: ServerResponse
): void => {
  if (response.headersSent || response.destroyed) return
  const isRead = request.complete || request.readableEnded || !hasBody(request)
  response.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(body),
    ...isRead ? {} : { connection: "close" }
  })
  response.end(request.method === "HEAD" ? undefined : body)
  if (isRead) return
  // if a connection is closed while bytes arrive, it is reset, and the client loses the answer
  request.resume()
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  request.once("close", () => clearTimeout(timer))
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
