import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer } from "effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { IncomingMessage, Server } from "node:http"
import { limitHits, measure } from "../../core/ports/mod.ts"
import { admitted } from "./_admission.ts"
import { answerAtOnce, write } from "./_at_once.ts"
import { answerClientErrors } from "./_client_errors.ts"
import { letGo } from "./_letting_go.ts"
import { cutSlowReaders, type Lent, openConnections } from "./_slow_readers.ts"
import { responseOf, serverRequest, turnOf } from "./_server_request.ts"
import { Turns } from "./_turns.ts"
import { Unsent } from "./_unsent.ts"
import { Application } from "./application.ts"
import type { HttpAnswer, HttpRequest } from "./message.ts"
import { defaultServerLimits, type ServerLimits } from "./server_limits.ts"

// to import it as a module would load the WebSocket client that it also exports, some forty milliseconds
const { createServer } = process.getBuiltinModule("node:http")

export interface ServerOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** The address to listen on; all of them by default. */
  readonly host?: string
  /** Several processes may listen on one port (Linux, BSD). */
  readonly reusePort?: boolean
  /** How long answers that have begun may take after the server was told to stop; 5 seconds by default. */
  readonly shutdownTimeout?: Duration.Input
  /** Where other processes serve the same port: how long a connection on which nothing is asked stays when this one stops; such are closed at once by default. */
  readonly idleMs?: number
  readonly limits?: Partial<ServerLimits>
}

/** Serves the application over HTTP/1.1 for as long as the layer lives, then lets the answers that have begun end. */
export const serverLayer = (options: ServerOptions): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, Application> =>
  Layer.unwrap(Effect.gen(function*() {
    const limits = { ...defaultServerLimits, ...options.limits }
    const turns = new Turns({ waitMs: limits.busyMs })
    const application = admitted(yield* Application, turns, limits)
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const { urlBytesMax, headerBytesMax } = application.limits
    // the parser counts the URL as a header and refuses before the application can say which of the two is too long
    const server = createServer({ maxHeaderSize: 2 * (urlBytesMax + headerBytesMax), requireHostHeader: false, ...deadlines(limits) })
    server.on("connection", turns.connected)
    answerClientErrors(server, application, run)
    const { host, idleMs = 0, port, reusePort, shutdownTimeout = "5 seconds" } = options
    const listen = { port, backlog, ...host === undefined ? {} : { host }, ...reusePort === undefined ? {} : { reusePort } }
    const [open, unsent] = [openConnections(server), new Unsent()]
    const bounds = boundConnections(server, open, unsent, limits)
    const serving = HttpServer.serve(served(application)).pipe(
      // closes when the server has waited for what has begun, and before it waits for every connection
      Layer.provideMerge(Layer.effectDiscard(answerAtOnce(server, { application, run, unsent }))),
      Layer.provideMerge(NodeHttpServer.layerServer(() => server, { ...listen, gracefulShutdownTimeout: shutdownTimeout }))
    )
    // before everything else of the server ends
    const parting = Effect.addFinalizer(() => letGo(server, { open, idleMs, boundMs: Duration.toMillis(shutdownTimeout) }))
    return Layer.provideMerge(Layer.effectDiscard(Effect.all([ignoreUpgrades(server), bounds, parting])), serving)
  }))

/**
 * Connections that wait to be taken; the system may allow fewer. Where the line is full the system drops clients, who come again after
 * seconds or are reset in the end: 511, as Node has it, is soon full where every turn of the event loop is long.
 */
const backlog = 4096

/**
 * Clients offer protocols that nobody here speaks: Java's of HTTP/2 does with each first request, and so does curl where it is told to. What
 * they ask is answered as if they had not. While somebody listens for upgrades, as the framework does, Node lets go of the connection, and what is
 * asked on it next is answered by nobody.
 */
const ignoreUpgrades = (server: Server) => Effect.sync(() => server.removeAllListeners("upgrade"))

/** Deadlines that Node keeps: it looks now and then who is over them. */
const deadlines = ({ headersTimeoutMs, idleTimeoutMs, requestTimeoutMs }: ServerLimits) => ({
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs), requestTimeout: requestTimeoutMs, keepAliveTimeout: idleTimeoutMs,
  connectionsCheckingInterval: Math.max(10, Math.min(1000, headersTimeoutMs / 4, requestTimeoutMs / 4))
})

/** Bounds connections, by number and by the time that they take to read, and counts those that were beyond. */
const boundConnections = (server: Server, open: ReadonlySet<Lent>, unsent: Unsent, { connectionsMax, sendTimeoutMs }: ServerLimits) => {
  let [dropped, cut] = [0, 0]
  server.maxConnections = connectionsMax
  server.on("drop", () => dropped++)
  return Effect.andThen(
    cutSlowReaders(open, unsent, sendTimeoutMs, () => cut++),
    measure(limitHits(() => [{ labels: { limit: "httpConnectionsMax" }, value: dropped }, { labels: { limit: "sendTimeoutMs" }, value: cut }]))
  )
}

/** The application as the server calls it. No tracer, no logger and no router of the framework stands in the way. */
const served = (application: Application["Service"]) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const turn = turnOf(request)
    return turn === undefined ? answered(application, request) : Effect.flatMap(turn, (turn) => turn ? answered(application, request) : Effect.succeed(written))
  })

const answered = (application: Application["Service"], request: HttpServerRequest.HttpServerRequest) => {
  const source = request.source as IncomingMessage
  const read = serverRequest(source)
  return Effect.map(
    // without a Host header HTTP/1.1 is malformed
    read === undefined ? application.refuse({ name: "malformed-request", message: "The header Host is missing: HTTP/1.1 requires it" }) : application.handle(read),
    (answer) => {
      if (read === undefined || !isPlain(read, source) || (answer.status !== 200 && answer.status !== 304)) return toResponse(answer)
      write(answer, responseOf(request))
      return written
    }
  )
}

/** Whether all of it has arrived: a GET without a body, a post that was read. A body that is still coming is the framework's to deal with. */
const isPlain = ({ method, headers }: HttpRequest, source: IncomingMessage) =>
  method === "POST" ? source.readableEnded : method === "GET" && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined

/** Stands for what was written already, or cannot be: the framework sees that the response has ended and leaves it alone. */
const written = HttpServerResponse.empty()

const toResponse = ({ status, headers: given, body }: HttpAnswer): HttpServerResponse.HttpServerResponse => {
  // what is still coming of a body that is too large is not worth waiting for
  const headers = status === 413 ? { ...given, connection: "close" } : given
  if (body === "") {
    // Node would send nothing in chunks
    const isCounted = status === 204 || status === 304 || headers["content-length"] !== undefined
    return HttpServerResponse.empty({ status, headers: isCounted ? headers : { ...headers, "content-length": "0" } })
  }
  const contentType = headers["content-type"]
  return typeof body === "string"
    ? HttpServerResponse.text(body, { status, headers, ...(contentType === undefined ? {} : { contentType }) })
    : HttpServerResponse.uint8Array(body, { status, headers, ...(contentType === undefined ? {} : { contentType }) })
}
