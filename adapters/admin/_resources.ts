import { Effect, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { feedJsonSchema, type Pool, type StoreFailure } from "../../core/mod.ts"
import type { HttpAnswer, HttpRequest } from "../http/mod.ts"
import { type Resource, unsupportedType, withWrite } from "../http/routes/mod.ts"
import { type OpenMonitor, prometheusContentType, prometheusText } from "../metrics/mod.ts"
import type { makeFeedHandler } from "./_feed.ts"
import { replyWithTransaction, runCommands } from "./_pool.ts"
import { type Phase, readinessOf } from "./_readiness.ts"
import { json, neverCached, type Refusal, refusal, retryLater, storeFailure } from "./_reply.ts"
import type { CountedLimits } from "./limit.ts"
import {
  type AdminOperation,
  adminOpenApi,
  isGuarded,
  methodAndPath,
  operationNames,
  summaryOf
} from "./open_api.ts"

/** The handlers that need an attached node. */
export interface NodeHandlers {
  readonly feed: ReturnType<typeof makeFeedHandler>
  readonly pool: Pool["Service"]
}

/** The state of the process that the resources report, and the token. */
export interface ResourcesOptions {
  readonly monitor: OpenMonitor
  readonly phase: () => Phase
  /** Undefined until a node is attached. */
  readonly handlers: () => NodeHandlers | undefined
  /** Reads the last result of `verify` as JSON, or null; undefined if it is not stored. */
  readonly verification: Effect.Effect<string | null, unknown> | undefined
  /** The token of the operations that write, which do not exist without one. */
  readonly token: Redacted.Redacted | undefined
  readonly limits: CountedLimits
}

/** Answers a request. `id` is the parameter of the path, if it has one. */
type Handler = (
  request: HttpRequest,
  id: string
) => Effect.Effect<HttpAnswer, Refusal | StoreFailure>

/** Returns the resources of the admin interface by path; that of the root is empty. */
export const makeResources = (options: ResourcesOptions): ReadonlyMap<string, Resource> => {
  const { token, verification } = options
  const offered = operationNames.filter((name) =>
    (token !== undefined || !isGuarded(name)) &&
    (verification !== undefined || name !== "GET /verification")
  )
  const handlers = handlersOf(options, offered)
  const resources = new Map<string, Resource>()
  for (const name of offered) {
    const [method, path] = methodAndPath(name)
    const answer = (values: ReadonlyArray<string>, _: string, request: HttpRequest) =>
      Effect.catch(handlers[name](request, values[0] ?? ""), (failure) => {
        const problem = "_tag" in failure ? storeFailure(failure) : failure
        return Effect.succeed(refusal(problem, request.url))
      })
    const key = path === "/" ? "" : path
    const read = resources.get(key)
    resources.set(
      key,
      method === "GET"
        ? { operation: name, allow: "GET, HEAD, OPTIONS", get: answer }
        : withWrite(read, { operation: name, method: "POST", answer })
    )
  }
  return resources
}

/**
 * Returns a function that refuses a request without the token, if its path requires one. A client
 * sends the token as `Authorization: Bearer TOKEN`. Its digest is compared in constant time, so the
 * duration reveals nothing about the token.
 */
export const tokenRefusal = (token: Redacted.Redacted | undefined) => {
  const expected = token && digest(Redacted.value(token))
  // without the token a client learns nothing else about the path
  return ({ headers, url }: HttpRequest, { operation }: Resource): HttpAnswer | undefined => {
    if (!isGuarded(operation as AdminOperation)) return undefined
    const given = /^Bearer +(.*)$/iu.exec(String(headers.authorization ?? ""))?.[1] ?? ""
    return expected !== undefined && timingSafeEqual(digest(given), expected)
      ? undefined
      : refusal(unauthorized, url)
  }
}

const handlersOf = (
  { handlers, limits, monitor, phase, verification = Effect.succeed(null) }: ResourcesOptions,
  offered: ReadonlyArray<AdminOperation>
): { readonly [Name in AdminOperation]: Handler } => {
  const index = json(200, {
    paths: offered.slice(1).map((name) => {
      const [method, path] = methodAndPath(name)
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
    "GET /readyz": () =>
      Effect.map(readinessOf(monitor, phase()), (readiness) => {
        const isReady = readiness.state === "ok" || readiness.state === "degraded"
        return json(isReady ? 200 : 503, readiness, neverCached)
      }),
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
    "POST /feed": ofLines(ofNode(({ feed }, request) => feed.apply(request))),
    "POST /pool": ofLines(ofNode(({ pool }, request) => runCommands(pool, limits, request))),
    "GET /pool/{id}": ofNode(({ pool }, _, id) => replyWithTransaction(pool, id))
  }
}

/** Refuses a body that is not uncompressed NDJSON. */
const ofLines = (handler: Handler): Handler => (request, id) => {
  const problem = unsupportedType(
    request,
    /^application\/(?:x-ndjson|ndjson|jsonl)\s*(?:;|$)/iu,
    "send lines of JSON, as Content-Type: application/x-ndjson"
  )
  return problem === undefined ? handler(request, id) : Effect.fail(problem)
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

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()
