import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { type OpenMonitor, prometheusContentType, prometheusText } from "../metrics/mod.ts"
import type { FeedHandler } from "./_feed.ts"
import type { PoolHandler } from "./_pool.ts"
import { type Phase, readiness } from "./_readiness.ts"
import { json, refusal, type Reply, retryLater } from "./_reply.ts"

/** The handlers that need an attached node. */
export interface NodeHandlers {
  readonly feed: FeedHandler
  readonly pool: PoolHandler
}

interface Route {
  readonly method: "GET" | "POST"
  /** May end in the parameter `{id}`. */
  readonly path: string
  /** Description for the list of paths. */
  readonly doc: string
  /** Whether the route requires the token. It does not exist if no token is configured. */
  readonly isGuarded: boolean
  /** @param value last segment of the path */
  readonly reply: (request: IncomingMessage, path: string, value: string) => Effect.Effect<Reply>
}

export interface RoutesOptions {
  readonly monitor: OpenMonitor
  readonly phase: () => Phase
  /** Undefined until a node is attached. */
  readonly handlers: () => NodeHandlers | undefined
  /** Reads the last result of `verify` as JSON, or null; undefined if it is not stored. */
  readonly verification: Effect.Effect<string | null, unknown> | undefined
  /** Returns whether the request has the token; null if no token is configured. */
  readonly isAllowed: ((headers: IncomingMessage["headers"]) => boolean) | null
}

/** Returns the admin interface as one function from request to answer. */
export const makeRoutes = (
  { handlers, isAllowed, monitor, phase, verification }: RoutesOptions
) => {
  const publicRoute = (path: string, doc: string, reply: Route["reply"]): Route => ({
    method: "GET",
    path,
    doc,
    isGuarded: false,
    reply
  })
  const guardedRoute = (
    method: Route["method"],
    path: string,
    doc: string,
    reply: (
      handlers: NodeHandlers,
      ...args: Parameters<Route["reply"]>
    ) => Effect.Effect<Reply>
  ): Route => ({
    method,
    path,
    doc,
    isGuarded: true,
    reply: (request, path, value) => {
      const attached = phase() === "stopping" ? undefined : handlers()
      return attached === undefined
        ? Effect.succeed(
          refusal({
            name: "unavailable",
            message: `The node is ${phase()}: try again in 1 s`,
            headers: retryLater
          }, path)
        )
        : reply(attached, request, path, value)
    }
  })
  const all: ReadonlyArray<Route> = [
    publicRoute(
      "/livez",
      "Whether the process is alive",
      () => Effect.succeed(json(200, { state: "ok" }, { "cache-control": "no-store" }))
    ),
    publicRoute(
      "/readyz",
      "Whether the process accepts requests, with the state of each check",
      () => readiness(monitor, phase())
    ),
    publicRoute(
      "/metrics",
      "Metrics in the text format of Prometheus",
      () =>
        Effect.map(
          prometheusText(monitor),
          (body) => ({
            status: 200,
            headers: { "content-type": prometheusContentType, "cache-control": "no-store" },
            body
          })
        )
    ),
    ...verification === undefined
      ? []
      : [
        publicRoute(
          "/verification",
          "The result of the last verification of the store",
          (_, path) => verificationReply(verification, path)
        )
      ],
    guardedRoute(
      "GET",
      "/feed",
      "The last block of the ledger",
      ({ feed }, _, path) => feed.tip(path)
    ),
    guardedRoute(
      "POST",
      "/feed",
      "Applies the records of a feed, NDJSON",
      ({ feed }, request, path) => feed.apply(request, path)
    ),
    guardedRoute(
      "POST",
      "/pool",
      "Runs the pool commands of a coordinator, NDJSON",
      ({ pool }, request, path) => pool.runCommands(request, path)
    ),
    guardedRoute(
      "GET",
      "/pool/{id}",
      "A transaction of the pool and its state transitions",
      ({ pool }, _, path, id) => pool.transaction(id, path)
    )
  ]
  const routes = all.filter(({ isGuarded }) => !isGuarded || isAllowed !== null)
  const index = json(200, { paths: routes.map(({ doc, method, path }) => ({ method, path, doc })) })

  return (request: IncomingMessage): Effect.Effect<Reply> => {
    const path = request.url!.split("?", 1)[0]!
    const method = request.method === "HEAD" ? "GET" : request.method!
    if (path === "/" && method === "GET") return Effect.succeed(index)
    const matching = routes.filter((route) => matchesPath(route, path))
    // without the token a client learns nothing else about the path
    if (matching.some(({ isGuarded }) => isGuarded) && !isAllowed!(request.headers)) {
      return Effect.succeed(refusal(unauthorized, path))
    }
    if (matching.length === 0) {
      return Effect.succeed(
        refusal({
          name: "unknown-path",
          message: `There is no path ${JSON.stringify(path.slice(0, 200))}: / lists the known ones`
        }, path)
      )
    }
    const route = matching.find((route) => route.method === method)
    const allow = matching.map(({ method }) => method === "GET" ? "GET, HEAD" : method).join(", ")
    if (route === undefined) {
      return Effect.succeed(
        refusal({
          name: "method-not-allowed",
          message: `The path does not have the method ${method.slice(0, 50)}: use one of ${allow}`,
          headers: { allow }
        }, path)
      )
    }
    const message = route.method === "POST" ? unsupportedType(request) : undefined
    return message === undefined
      ? route.reply(request, path, path.slice(path.lastIndexOf("/") + 1))
      : Effect.succeed(refusal({ name: "unsupported-media-type", message }, path))
  }
}

const matchesPath = ({ path }: Route, requested: string): boolean =>
  path.endsWith("{id}")
    ? requested.startsWith(path.slice(0, -4)) && requested.length > path.length - 4 &&
      !requested.slice(path.length - 4).includes("/")
    : requested === path

const verificationReply = (
  verification: Effect.Effect<string | null, unknown>,
  path: string
): Effect.Effect<Reply> =>
  Effect.match(verification, {
    onFailure: () =>
      refusal({
        name: "unavailable",
        message:
          "The result cannot be read now, because the store does not answer: try again in 1 s",
        headers: retryLater
      }, path),
    onSuccess: (report) =>
      report === null
        ? refusal({
          name: "not-found",
          message: "The store has not been verified yet: run rollup-node verify"
        }, path)
        : json(200, JSON.parse(report) as object, { "cache-control": "no-store" })
  })

const unauthorized = {
  name: "unauthorized",
  message:
    "The token is missing or wrong: send the header Authorization: Bearer, and the token that the program was started with",
  headers: { "www-authenticate": "Bearer" }
} as const

/** Returns the message of a problem if the headers do not declare uncompressed NDJSON. */
const unsupportedType = ({ headers }: IncomingMessage): string | undefined => {
  const type = headers["content-type"] ?? ""
  const encoding = headers["content-encoding"] ?? "identity"
  if (!/^application\/(?:x-ndjson|ndjson|jsonl)\s*(?:;|$)/iu.test(type)) {
    return `Content-Type ${
      JSON.stringify(type.slice(0, 100))
    } is not read: send lines of JSON, as Content-Type: application/x-ndjson`
  }
  return encoding.toLowerCase() === "identity"
    ? undefined
    : `Content-Encoding ${
      JSON.stringify(encoding.slice(0, 100))
    } is not read: send the lines as they are`
}
