import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer, Struct } from "effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import type * as HttpServer from "effect/http/HttpServer"
import type { Server } from "node:http"
import { gauge, limitHits, measure } from "../../../core/ports/mod.ts"
import { Application } from "../application.ts"
import { AdmissionQueue } from "./_admission_queue.ts"
import { answerClientErrors } from "./_client_errors.ts"
import { Connections } from "./_connections.ts"
import { withRateLimit } from "./_rate_limit.ts"
import { RefusalPacer } from "./_refusal_pacer.ts"
import { makeRequestHandler } from "./_request_handler.ts"
import { defaultServerLimits, type ServerLimits } from "./server_limits.ts"
import { shutDown } from "./_shutdown.ts"

// importing the module would also load the WebSocket client that it exports
const { createServer } = process.getBuiltinModule("node:http")

/** Options of `serverLayer`. */
export interface ServerOptions {
  /** The port to listen on; 0 selects a free port. */
  readonly port: number
  /** The address to listen on; all addresses by default. */
  readonly host?: string
  /** Whether each worker of a cluster has the port to itself; false by default. */
  readonly exclusive?: boolean
  /**
   * Time for a graceful shutdown, after which all connections are destroyed; 5 seconds by default.
   */
  readonly shutdownTimeout?: Duration.Input
  /**
   * How long the port and idle connections stay open after the shutdown has started; 1 second by
   * default, at most half of `shutdownTimeout`.
   */
  readonly drain?: Duration.Input
  /** Each limit is that of `defaultServerLimits` by default. */
  readonly limits?: Partial<ServerLimits>
  /** Called for each connection that is closed because `connectionsMax` are open. */
  readonly onDrop?: () => void
}

/**
 * Returns a layer that serves the application over HTTP/1.1 until its scope closes, and then shuts
 * down gracefully. It fails with `ServeError` if it cannot listen.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { HttpServer } from "effect/http"
 * import { Submission, wireContext } from "rollup-node-api"
 * import { keccak256, inlineVerifier } from "rollup-node-api/crypto"
 * import { Application } from "rollup-node-api/http"
 * import { serverLayer } from "rollup-node-api/http/node"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { constants, network } = genesis
 * const application = Application.layer({ constants, context: wireContext(network, keccak256) })
 * const server = serverLayer({ port: 0, host: "127.0.0.1" }).pipe(
 *   Layer.provide(application),
 *   Layer.provide(Submission.layer({ network, keccak256 })),
 *   Layer.provide(inlineVerifier(network)),
 *   Layer.provide(Layer.merge(Memory.layer(genesis), Memory.poolLayer))
 * )
 * const program = Effect.gen(function*() {
 *   const url = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
 *   const response = yield* Effect.promise(() => fetch(`${url}/slots/7`))
 *   return [url, (yield* Effect.promise(() => response.json())).slotNum]
 * })
 * const [url, slotNum] = await Effect.runPromise(Effect.provide(program, server))
 * console.log(slotNum) // => 7
 * console.log(await fetch(url).catch(() => "shut down")) // => shut down
 * ```
 */
export const serverLayer = (
  options: ServerOptions
): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, Application> =>
  Layer.unwrap(Effect.gen(function*() {
    const limits = { ...defaultServerLimits, ...options.limits }
    const queue = new AdmissionQueue({ targetMs: limits.queueDelayTargetMs })
    const application = withRateLimit(yield* Application, limits)
    const { headerBytesMax, urlBytesMax } = application.limits
    // the parser counts the URL as a header; above this size it refuses the request itself, and
    // cannot say whether the URL or the headers are too large
    const server = createServer({
      maxHeaderSize: 2 * (urlBytesMax + headerBytesMax),
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      ...timeoutsOf(limits)
    })
    server.maxConnections = limits.connectionsMax
    server.on("connection", queue.onConnection)
    const connections = new Connections(server, limits)
    const refusals = new RefusalPacer({ delayMaxMs: limits.refusalDelayMaxMs })
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const { admit } = queue
    const scope = yield* Effect.scope
    const handle = makeRequestHandler({ admit, application, connections, refusals, run, scope })
    server.on("request", handle)
    // an unknown expectation is ignored, without a listener Node answers 417; instrumentation sees
    // only `request`
    server.on("checkExpectation", (request, response) => {
      server.emit("request", request, response)
    })
    answerClientErrors({ admit, application, connections, run, server })
    yield* watchConnections(server, connections, limits)

    const { drain = "1 second", shutdownTimeout = "5 seconds" } = options
    const { exclusive = false, host, onDrop, port } = options
    if (onDrop !== undefined) server.on("drop", onDrop)
    const listen = { port, backlog, exclusive, ...host === undefined ? {} : { host } }
    const shutdown = shutDown(server, connections, refusals, {
      drainMs: Duration.toMillis(drain),
      timeoutMs: Duration.toMillis(shutdownTimeout)
    })
    return Layer.effectDiscard(Effect.addFinalizer(() => shutdown)).pipe(
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, listen))
    )
  }))

/**
 * Maximum number of connections that wait to be accepted; the operating system may allow fewer. If
 * the queue is full, clients retry after seconds; Node's default is 511.
 */
const backlog = 4096

/** Returns the timeouts as options of `createServer`. Node checks them at an interval. */
const timeoutsOf = ({ headersTimeoutMs, idleTimeoutMs, requestTimeoutMs }: ServerLimits) => ({
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: idleTimeoutMs,
  connectionsCheckingInterval: Math.max(
    10,
    Math.min(1000, headersTimeoutMs / 4, requestTimeoutMs / 4)
  )
})

/** Destroys stalled connections at an interval, and registers the metrics of the connections. */
const watchConnections = Effect.fnUntraced(
  function*(
    server: Server,
    connections: Connections,
    { sendTimeoutMs, unreadBytesMax }: ServerLimits
  ) {
    let dropped = 0
    server.on("drop", () => dropped++)
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        setInterval(
          connections.destroyStalled,
          Math.max(10, Math.min(250, sendTimeoutMs / 4))
        ).unref()
      ),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
    yield* measure(
      gauge(
        "rollup_http_unread_bytes",
        "Bytes of answers that clients have not read yet",
        () => connections.unreadBytes
      ),
      gauge(
        "rollup_http_unread_bytes_max",
        "Bytes of answers that clients may leave unread",
        () => unreadBytesMax
      ),
      limitHits("httpConnectionsMax", () => dropped),
      ...Struct.keys(connections.hits).map((limit) =>
        limitHits(limit, () => connections.hits[limit])
      )
    )
  }
)
