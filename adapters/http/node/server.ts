import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer, Struct } from "effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import type * as HttpServer from "effect/http/HttpServer"
import type { Server } from "node:http"
import { gauge, limitHits, measure } from "../../../core/ports/mod.ts"
import { Application } from "../application.ts"
import { withAdmissionControl } from "./_admission.ts"
import { AdmissionQueue } from "./_admission_queue.ts"
import { answerClientErrors } from "./_client_errors.ts"
import { Connections } from "./_connections.ts"
import { makeRequestHandler } from "./_request_handler.ts"
import { defaultServerLimits, type ServerLimits } from "./server_limits.ts"
import { shutDown } from "./_shutdown.ts"

// an import as a module would load the WebSocket client that it also exports, some forty milliseconds
const { createServer } = process.getBuiltinModule("node:http")

export interface ServerOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** The address to listen on; all of them by default. */
  readonly host?: string
  /** Several processes may listen on one port (Linux, BSD). */
  readonly reusePort?: boolean
  /** How long answers that have begun may take when the server stops, after which all its connections are destroyed; 5 seconds by default. */
  readonly shutdownTimeout?: Duration.Input
  /** How long the port and idle connections stay open when the server stops; 1 second by default, at most half of `shutdownTimeout`. */
  readonly drain?: Duration.Input
  readonly limits?: Partial<ServerLimits>
}

/** Serves the application over HTTP/1.1 until the scope closes, and then shuts down gracefully. Fails with `ServeError` if it cannot listen. */
export const serverLayer = (
  options: ServerOptions
): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, Application> =>
  Layer.unwrap(Effect.gen(function*() {
    const limits = { ...defaultServerLimits, ...options.limits }
    const queue = new AdmissionQueue({ targetMs: limits.queueDelayTargetMs })
    const application = withAdmissionControl(yield* Application, queue, limits)
    const { headerBytesMax, urlBytesMax } = application.limits
    // the parser counts the URL as a header, and refuses before the application can say which of both is too long
    const server = createServer({
      maxHeaderSize: 2 * (urlBytesMax + headerBytesMax),
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      ...timeoutsOf(limits)
    })
    server.maxConnections = limits.connectionsMax
    server.on("connection", queue.connected)
    const connections = new Connections(server, limits)
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const handle = makeRequestHandler({ application, connections, run, scope: yield* Effect.scope })
    // an expectation that is not known is ignored; without a listener Node answers 417
    server.on("request", handle).on("checkExpectation", handle)
    answerClientErrors({ application, connections, run, server })
    yield* watchConnections(server, connections, limits)

    const { drain = "1 second", host, port, reusePort, shutdownTimeout = "5 seconds" } = options
    const listen = {
      port,
      backlog,
      ...host === undefined ? {} : { host },
      ...reusePort === undefined ? {} : { reusePort }
    }
    const shutdown = shutDown(server, connections, {
      drainMs: Duration.toMillis(drain),
      timeoutMs: Duration.toMillis(shutdownTimeout)
    })
    return Layer.effectDiscard(Effect.addFinalizer(() => shutdown)).pipe(
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, listen))
    )
  }))

/** Connections that wait to be accepted; the system may allow fewer. If Node's 511 were full, clients would retry after seconds. */
const backlog = 4096

/** Node looks for requests that are over these once in an interval. */
const timeoutsOf = ({ headersTimeoutMs, idleTimeoutMs, requestTimeoutMs }: ServerLimits) => ({
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: idleTimeoutMs,
  connectionsCheckingInterval: Math.max(
    10,
    Math.min(1000, headersTimeoutMs / 4, requestTimeoutMs / 4)
  )
})

/** Destroys stalled connections at intervals, and measures what is unread and what was dropped. */
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
          () => connections.destroyStalled(),
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
