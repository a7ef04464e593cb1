import { Effect, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { feedJsonSchema, type StoreFailure } from "../../core/mod.ts"
import type { HttpAnswer, HttpRequest } from "../http/mod.ts"
import { makeRouter } from "../http/routes/mod.ts"
import { type OpenMonitor, prometheusContentType, prometheusText } from "../metrics/mod.ts"
import type { FeedHandler } from "./_feed.ts"
import type { PoolHandler } from "./_pool.ts"
import { type Phase, readinessReply } from "./_readiness.ts"
import { json, neverCached, orRefusal, type Refusal, retryLater } from "./_reply.ts"
import {
  type AdminOperation,
  adminOpenApi,
  isGuarded,
  operationNames,
  summaryOf
} from "./open_api.ts"

/** The handlers that need an attached node. */
export interface NodeHandlers {
  readonly feed: FeedHandler
  readonly pool: PoolHandler
}

/** The state of the process that the routes report, and the token. */
export interface RoutesOptions {
  readonly monitor: OpenMonitor
  readonly phase: () => Phase
  /** Undefined until a node is attached. */
  readonly handlers: () => NodeHandlers | undefined
  /** Reads the last result of `verify` as JSON, or null; undefined if it is not stored. */
  readonly verification: Effect.Effect<string | null, unknown> | undefined
  /** The token of the operations that write, which do not exist without one. */
  readonly token: Redacted.Redacted | undefined
}

/** Answers a request. `id` is the parameter of the path, if it has one. */
type Handler = (
  request: HttpRequest,
  id: string
) => Effect.Effect<HttpAnswer, Refusal | StoreFailure>

/** The operations of one path. */
interface Resource {
  readonly isGuarded: boolean
  readonly methods: Map<string, Handler>
}

/** Returns the admin interface as one function from request to answer. */
export const makeRoutes = (
  options: RoutesOptions
): (request: HttpRequest) => Effect.Effect<HttpAnswer> => {
  const { token, verification } = options
  const offered = operationNames.filter((name) =>
    (token !== undefined || !isGuarded(name)) &&
    (verification !== undefined || name !== "GET /verification")
  )
  const handlers = handlersOf(options, offered)
  const resources = new Map<string, Resource>()
  for (const name of offered) {
    const [method, path] = name.split(" ") as [string, string]
    const resource = resources.get(path) ?? { isGuarded: isGuarded(name), methods: new Map() }
    resource.methods.set(method, handlers[name])
    resources.set(path, resource)
  }
  const router = makeRouter([...resources].map(([path, target]) => ({ path, target })))
  const isAllowed = token === undefined ? () => false : tokenChecker(token)
  const answer = (request: HttpRequest, path: string): ReturnType<Handler> => {
    const match = router.find(path)
    if (match === undefined) return Effect.fail(unknownPath(path))
    const { target, values } = match
    // without the token a client learns nothing else about the path
    if (target.isGuarded && !isAllowed(request.headers)) return Effect.fail(unauthorized)
    const method = request.method === "HEAD" ? "GET" : request.method
    const handler = target.methods.get(method)
    if (handler === undefined) return Effect.fail(methodNotAllowed(method, target))
    const message = method === "POST" ? unsupportedType(request) : undefined
    return message === undefined
      ? handler(request, values[0] ?? "")
      : Effect.fail({ name: "unsupported-media-type", message })
  }
  return (request) => {
    const path = request.url.split("?", 1)[0]!
    return orRefusal(answer(request, path), path)
  }
}

const handlersOf = (
  { handlers, monitor, phase, verification = Effect.succeed(null) }: RoutesOptions,
  offered: ReadonlyArray<AdminOperation>
): { readonly [Name in AdminOperation]: Handler } => {
  const index = json(200, {
    paths: offered.slice(1).map((name) => {
      const [method, path] = name.split(" ")
      return { method, path, doc: summaryOf(name) }
    })
  })
  const ofNode = (
    answer: (handlers: NodeHandlers, ...args: Parameters<Handler>) => ReturnType<Handler>
  ): Handler =>
  (request, id) => {
    const attached = phase() === "stopping" ? undefined : handlers()
    return attached === undefined
      ? Effect.fail({
        name: "unavailable",
        message: `The node is ${phase()}: try again in 1 s`,
        headers: retryLater
      })
      : answer(attached, request, id)
  }
  return {
    "GET /": () => Effect.succeed(index),
    "GET /livez": () => Effect.succeed(json(200, { state: "ok" }, neverCached)),
    "GET /readyz": () => readinessReply(monitor, phase()),
    "GET /metrics": () =>
      Effect.map(prometheusText(monitor), (body) => ({
        status: 200,
        headers: { "content-type": prometheusContentType, ...neverCached },
        body
      })),
    "GET /openapi.json": () =>
      Effect.sync(() => json(200, adminOpenApi((name) => offered.includes(name)))),
    "GET /schemas/feed.json": () =>
      Effect.sync(() => json(200, feedJsonSchema(), { "content-type": "application/schema+json" })),
    "GET /verification": () => verificationReply(verification),
    "GET /feed": ofNode(({ feed }) => feed.position),
    "POST /feed": ofNode(({ feed }, request) => feed.apply(request)),
    "POST /pool": ofNode(({ pool }, request) => pool.runCommands(request)),
    "GET /pool/{id}": ofNode(({ pool }, _, id) => pool.transaction(id))
  }
}

const verificationReply = (
  verification: Effect.Effect<string | null, unknown>
): Effect.Effect<HttpAnswer, Refusal> =>
  Effect.matchEffect(verification, {
    onFailure: () =>
      Effect.fail({
        name: "unavailable",
        message:
          "The result cannot be read now, because the store does not respond: try again in 1 s",
        headers: retryLater
      }),
    onSuccess: (report) =>
      report === null
        ? Effect.fail({
          name: "not-found",
          message: "The store has not been verified yet: run rollup-node verify"
        })
        : Effect.succeed(json(200, JSON.parse(report) as object, neverCached))
  })

const unauthorized: Refusal = {
  name: "unauthorized",
  message:
    "The token is missing or wrong: send the header Authorization: Bearer, with the token that is configured",
  headers: { "www-authenticate": "Bearer" }
}

const unknownPath = (path: string): Refusal => ({
  name: "unknown-path",
  message: `There is no path ${JSON.stringify(path.slice(0, 200))}: / lists all`
})

const methodNotAllowed = (method: string, { methods }: Resource): Refusal => {
  const allow = [...methods.keys()].map((name) => name === "GET" ? "GET, HEAD" : name).join(", ")
  return {
    name: "method-not-allowed",
    message: `The path does not support the method ${method.slice(0, 50)}: use one of ${allow}`,
    headers: { allow }
  }
}

/** Returns the message of a problem if the headers do not declare uncompressed NDJSON. */
const unsupportedType = ({ headers }: HttpRequest): string | undefined => {
  const type = String(headers["content-type"] ?? "")
  const encoding = String(headers["content-encoding"] ?? "identity")
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
const tokenChecker = (token: Redacted.Redacted): (headers: HttpRequest["headers"]) => boolean => {
  const expected = digest(Redacted.value(token))
  return ({ authorization = "" }) =>
    timingSafeEqual(digest(/^Bearer +(.*)$/iu.exec(String(authorization))?.[1] ?? ""), expected)
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()
