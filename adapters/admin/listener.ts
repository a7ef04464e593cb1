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
import { makeFeed } from "./_feed.ts"
import { watchLedger } from "./_ledger_watch.ts"
import { makePool } from "./_pool.ts"
import { type Phase, measureHealth } from "./_readiness.ts"
import { refusal, type Reply } from "./_reply.ts"
import { makeRoutes, type RoutesOptions } from "./_routes.ts"
import { tokenChecker } from "./_token.ts"
import { type AdminLimits, defaultAdminLimits, noHits } from "./limit.ts"
import { measureProcess } from "./process_metrics.ts"

// see adapters/http/node/server.ts
const { createServer } = process.getBuiltinModule("node:http")

export interface AdminOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** 127.0.0.1 by default: nobody outside of the machine. */
  readonly host?: string
  /** Without it the paths that write do not exist. 16 characters or more. */
  readonly token?: Redacted.Redacted
  /** The one that the layers of the node were given. */
  readonly monitor: OpenMonitor
  /** How long the ledger may stand still before the process is not ready any more; any time by default. */
  readonly ledgerAgeMaxMs?: number
  /** What the last audit of the store found, as JSON, or null where there was none: shown at `/verification`. */
  readonly verification?: Effect.Effect<string | null, unknown>
  readonly limits?: Partial<AdminLimits>
}

/** What the admin listener reads and writes of a node. */
export type AdminPorts = Ledger | LedgerReader | LedgerWriter | Pool | PoolStore

export interface Admin {
  /** Where it listens: `http://127.0.0.1:9464`. */
  readonly url: string
  /** From now on the node serves, until the scope closes: then it is not ready any more, before anything else stops. */
  readonly attachNode: (
    node: Context.Context<AdminPorts>
  ) => Effect.Effect<void, never, Scope.Scope>
}

/** How long answers may take to leave when the scope closes: the node itself has stopped before. */
const closeMs = 250

/**
 * Listens for those who run the node, beside the interface: `/livez`, `/readyz`, `/metrics`, and with a token `/feed` and `/pool`. It is
 * there from the start, not ready until `serve`, and closes with the scope.
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
    let doors: ReturnType<RoutesOptions["doors"]>
    const reply = makeRoutes({
      monitor,
      phase: () => phase,
      doors: () => doors,
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
              { name: "internal", message: "The server failed to answer: its log says why" },
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
    const { address, family, port: taken } = yield* Effect.acquireRelease(
      listening(server, port, host),
      () => closed(server)
    )
    yield* monitored(monitor, measureProcess)
    yield* monitor.measure(...Struct.keys(hits).map((limit) => limitHits(limit, () => hits[limit])))
    yield* measureHealth(monitor)
    return {
      url: `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`,
      attachNode: Effect.fnUntraced(function*(node) {
        const reader = Context.get(node, LedgerReader)
        yield* monitored(
          monitor,
          watchLedger({
            reader,
            pool: Context.get(node, PoolStore),
            tip: Context.get(node, LedgerTip),
            ledgerAgeMaxMs: options.ledgerAgeMaxMs
          })
        )
        doors = {
          feed: makeFeed({
            ledger: Context.get(node, Ledger),
            reader,
            writer: Context.get(node, LedgerWriter)
          }, {
            idleMs,
            lineBytesMax: feedLineBytesMax,
            hit: (limit) => hits[limit === "idleMs" ? "adminBodyIdleMs" : "feedLineBytesMax"]++,
            recordMaxMs: limits.feedRecordTimeoutMs,
            tooSlow: () => hits.feedRecordTimeoutMs++
          }),
          pool: makePool(Context.get(node, Pool), {
            idleMs,
            lineBytesMax: poolBodyBytesMax,
            bodyBytesMax: poolBodyBytesMax,
            hit: (limit) => hits[limit === "idleMs" ? "adminBodyIdleMs" : "poolBodyBytesMax"]++
          })
        }
        phase = "serving"
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            phase = "stopping"
          })
        )
      })
    }
  }
)

const monitored = <A, E, R>(monitor: OpenMonitor, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Monitor, monitor)

const listening = (
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
    // a port of its own, also where several processes share that of the interface
    server.listen({ port, host, exclusive: true }, () =>
      resume(Effect.succeed(server.address() as AddressInfo)))
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), closeMs)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** How long a client that still sends what was refused may take to see why. */
const lingerMs = 2000

/** Whether a body comes after the headers; Node says that a request is complete only when who was told of it has returned. */
const isFollowed = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const send = (
  { body, headers, status }: Reply,
  request: IncomingMessage,
  response: ServerResponse
): void => {
  if (response.headersSent || response.destroyed) return
  const isRead = request.complete || request.readableEnded || !isFollowed(request)
  response.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(body),
    ...isRead ? {} : { connection: "close" }
  })
  response.end(request.method === "HEAD" ? undefined : body)
  if (isRead) return
  // a connection that closes while bytes arrive is reset, and the answer is lost with it
  request.resume()
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  request.once("close", () => clearTimeout(timer))
}

/** The admin interface cannot be there: says why. */
export class AdminError
  extends Data.TaggedError("AdminError")<{ readonly message: string; readonly cause: unknown }>
{}
