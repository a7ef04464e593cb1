import { Effect, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { feedJsonSchema } from "../../core/mod.ts"
import { type OpenMonitor, prometheusContentType, prometheusText } from "../metrics/mod.ts"
import type { FeedHandler } from "./_feed.ts"
import type { PoolHandler } from "./_pool.ts"
import { type AdminOperation, adminOpenApi, summaryOf } from "./open_api.ts"
import { type Phase, readinessReply } from "./_readiness.ts"
import { json, refusal, type Reply, retryLater } from "./_reply.ts"

/** The handlers that need an attached node. */
export interface NodeHandlers {
  readonly feed: FeedHandler
  readonly pool: PoolHandler
}

interface Route {
  readonly operation: AdminOperation
  readonly method: string
  /** May end in the parameter `{id}`. */
  readonly path: string
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
  const publicRoute = (operation: AdminOperation, reply: Route["reply"]): Route => ({
    ...methodAndPath(operation),
    isGuarded: false,
    reply
  })
  const guardedRoute = (
    operation: AdminOperation,
    reply: (
      handlers: NodeHandlers,
      ...args: Parameters<Route["reply"]>
    ) => Effect.Effect<Reply>
  ): Route => ({
    ...methodAndPath(operation),
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
    publicRoute("GET /", () => Effect.succeed(index)),
    publicRoute(
      "GET /livez",
      () => Effect.succeed(json(200, { state: "ok" }, { "cache-control": "no-store" }))
    ),
    publicRoute("GET /readyz", () => readinessReply(monitor, phase())),
    publicRoute(
      "GET /metrics",
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
    publicRoute("GET /openapi.json", () => Effect.sync(() => json(200, adminOpenApi(isOffered)))),
    publicRoute(
      "GET /schemas/feed.json",
      () =>
        Effect.sync(() =>
          json(200, feedJsonSchema(), { "content-type": "application/schema+json" })
        )
    ),
    ...verification === undefined
      ? []
      : [publicRoute("GET /verification", (_, path) => verificationReply(verification, path))],
    guardedRoute("GET /feed", ({ feed }, _, path) => feed.tip(path)),
    guardedRoute("POST /feed", ({ feed }, request, path) => feed.apply(request, path)),
    guardedRoute("POST /pool", ({ pool }, request, path) => pool.runCommands(request, path)),
    guardedRoute("GET /pool/{id}", ({ pool }, _, path, id) => pool.transaction(id, path))
  ]
  const routes = all.filter(({ isGuarded }) => !isGuarded || isAllowed !== null)
  const isOffered = (operation: AdminOperation): boolean =>
    routes.some((route) => route.operation === operation)
  const index = json(200, {
    paths: routes.slice(1).map(({ method, operation, path }) => ({
      method,
      path,
      doc: summaryOf(operation)
    }))
  })

  return (request: IncomingMessage): Effect.Effect<Reply> => {
    const path = request.url!.split("?", 1)[0]!
    const method = request.method === "HEAD" ? "GET" : request.method!
    const matching = routes.filter((route) => matchesPath(route, path))
    // without the token a client learns nothing else about the path
    if (matching.some(({ isGuarded }) => isGuarded) && !isAllowed!(request.headers)) {
      return Effect.succeed(refusal(unauthorized, path))
    }
    if (matching.length === 0) {
      return Effect.succeed(
        refusal({
          name: "unknown-path",
          message: `There is no path ${JSON.stringify(path.slice(0, 200))}: / lists all`
        }, path)
      )
    }
    const route = matching.find((route) => route.method === method)
    const allow = matching.map(({ method }) => method === "GET" ? "GET, HEAD" : method).join(", ")
    if (route === undefined) {
      return Effect.succeed(
        refusal({
          name: "method-not-allowed",
          message: `The path does not support the method ${
            method.slice(0, 50)
          }: use one of ${allow}`,
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

const methodAndPath = (operation: AdminOperation) => {
  const [method, path] = operation.split(" ") as [string, string]
  return { operation, method, path }
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
          "The result cannot be read now, because the store does not respond: try again in 1 s",
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
    "The token is missing or wrong: send the header Authorization: Bearer, with the token that is configured",
  headers: { "www-authenticate": "Bearer" }
} as const

/** Returns the message of a problem if the headers do not declare uncompressed NDJSON. */
const unsupportedType = ({ headers }: IncomingMessage): string | undefined => {
  const type = headers["content-type"] ?? ""
  const encoding = headers["content-encoding"] ?? "identity"
  if (!/^application\/(?:x-ndjson|ndjson|jsonl)\s*(?:;|$)/iu.test(type)) {
    return `Content-Type ${
      JSON.stringify(type.slice(0, 100))
    } is not supported: send lines of JSON, as Content-Type: application/x-ndjson`
  }
  return encoding.toLowerCase() === "identity"
    ? undefined
    : `Content-Encoding ${
      JSON.stringify(encoding.slice(0, 100))
    } is not supported: send the lines uncompressed`
}

/**
 * Returns a function that checks whether a request has the token, as `Authorization: Bearer TOKEN`.
 * It compares digests in constant time, so the duration reveals nothing about the token.
 */
export const tokenChecker = (
  token: Redacted.Redacted
): (headers: IncomingHttpHeaders) => boolean => {
  const expected = digest(Redacted.value(token))
  return ({ authorization = "" }) =>
    timingSafeEqual(digest(/^Bearer +(.*)$/iu.exec(authorization)?.[1] ?? ""), expected)
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()
