import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { type OpenMonitor, prometheusContentType, prometheusText } from "../metrics/mod.ts"
import type { Feed } from "./_feed.ts"
import type { PoolDoor } from "./_pool.ts"
import { type Phase, readiness } from "./_readiness.ts"
import { json, refusal, type Reply, retryLater } from "./_reply.ts"

/** What a request is answered with, and what it needs. */
interface Route {
  readonly method: "GET" | "POST"
  /** A segment `{id}` stands for anything. */
  readonly path: string
  /** What it is for, in a sentence. */
  readonly doc: string
  /** Writes, or shows what only a writer needs: only with the token, and not at all where there is none. */
  readonly isGuarded: boolean
  readonly reply: (request: IncomingMessage, path: string, value: string) => Effect.Effect<Reply>
}

export interface RoutesOptions {
  readonly monitor: OpenMonitor
  readonly phase: () => Phase
  /** Undefined until the node serves. */
  readonly doors: () => { readonly feed: Feed; readonly pool: PoolDoor } | undefined
  /** What the last audit of the store found, as JSON, or null; undefined where nobody keeps it. */
  readonly verification: Effect.Effect<string | null, unknown> | undefined
  /** Whether the request has the token; null where there is none. */
  readonly isAllowed: ((headers: IncomingMessage["headers"]) => boolean) | null
}

/** The paths of the admin listener, as one function from request to answer. */
export const makeRoutes = ({ doors, isAllowed, monitor, phase, verification }: RoutesOptions) => {
  const open = (path: string, doc: string, reply: Route["reply"]): Route => ({
    method: "GET",
    path,
    doc,
    isGuarded: false,
    reply
  })
  const guarded = (
    method: Route["method"],
    path: string,
    doc: string,
    reply: (
      doors: { readonly feed: Feed; readonly pool: PoolDoor },
      ...given: Parameters<Route["reply"]>
    ) => Effect.Effect<Reply>
  ): Route => ({
    method,
    path,
    doc,
    isGuarded: true,
    reply: (request, path, value) => {
      const there = phase() === "stopping" ? undefined : doors()
      return there === undefined
        ? Effect.succeed(
          refusal({
            name: "unavailable",
            message: `The node is ${phase()}: try again in 1 s`,
            headers: retryLater
          }, path)
        )
        : reply(there, request, path, value)
    }
  })
  const all: ReadonlyArray<Route> = [
    open(
      "/livez",
      "Whether the process is alive",
      () => Effect.succeed(json(200, { state: "ok" }, { "cache-control": "no-store" }))
    ),
    open(
      "/readyz",
      "Whether it should be sent requests, with the state of each check",
      () => readiness(monitor, phase())
    ),
    open(
      "/metrics",
      "What it measures, for Prometheus",
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
        open(
          "/verification",
          "What the last verification of the store found",
          (_, path) => verified(verification, path)
        )
      ],
    guarded("GET", "/feed", "Where the ledger stands", ({ feed }, _, path) => feed.tip(path)),
    guarded(
      "POST",
      "/feed",
      "Applies the records of a feed, NDJSON",
      ({ feed }, request, path) => feed.apply(request, path)
    ),
    guarded(
      "POST",
      "/pool",
      "Does what a coordinator tells the pool, NDJSON",
      ({ pool }, request, path) => pool.command(request, path)
    ),
    guarded(
      "GET",
      "/pool/{id}",
      "A transaction of the pool and its steps",
      ({ pool }, _, path, id) => pool.transaction(id, path)
    )
  ]
  const routes = all.filter(({ isGuarded }) => !isGuarded || isAllowed !== null)
  const index = json(200, { paths: routes.map(({ doc, method, path }) => ({ method, path, doc })) })

  return (request: IncomingMessage): Effect.Effect<Reply> => {
    const path = request.url!.split("?", 1)[0]!
    const method = request.method === "HEAD" ? "GET" : request.method!
    if (path === "/" && method === "GET") return Effect.succeed(index)
    const at = routes.filter((route) => isAt(route, path))
    // who has no token does not learn more than that
    if (at.some(({ isGuarded }) => isGuarded) && !isAllowed!(request.headers)) {
      return Effect.succeed(refusal(unauthorized, path))
    }
    if (at.length === 0) {
      return Effect.succeed(
        refusal({
          name: "unknown-path",
          message: `There is no path ${JSON.stringify(path.slice(0, 200))}: / lists the known ones`
        }, path)
      )
    }
    const route = at.find((route) => route.method === method)
    const allow = at.map(({ method }) => method === "GET" ? "GET, HEAD" : method).join(", ")
    if (route === undefined) {
      return Effect.succeed(
        refusal({
          name: "method-not-allowed",
          message: `The path does not have the method ${method.slice(0, 50)}: use one of ${allow}`,
          headers: { allow }
        }, path)
      )
    }
    const unread = route.method === "POST" ? unsupportedType(request) : undefined
    return unread === undefined
      ? route.reply(request, path, path.slice(path.lastIndexOf("/") + 1))
      : Effect.succeed(refusal({ name: "unsupported-media-type", message: unread }, path))
  }
}

const isAt = ({ path }: Route, asked: string): boolean =>
  path.endsWith("{id}")
    ? asked.startsWith(path.slice(0, -4)) && asked.length > path.length - 4 &&
      !asked.slice(path.length - 4).includes("/")
    : asked === path

const verified = (
  verification: Effect.Effect<string | null, unknown>,
  path: string
): Effect.Effect<Reply> =>
  Effect.match(verification, {
    onFailure: () =>
      refusal({
        name: "unavailable",
        message:
          "The result cannot be read for now, since the store does not answer: try again in 1 s",
        headers: retryLater
      }, path),
    onSuccess: (report) =>
      report === null
        ? refusal({
          name: "not-found",
          message: "The store was not verified yet: run rollup-node verify"
        }, path)
        : json(200, JSON.parse(report) as object, { "cache-control": "no-store" })
  })

const unauthorized = {
  name: "unauthorized",
  message:
    "The token is missing or wrong: send the header Authorization: Bearer, and the token that the program was started with",
  headers: { "www-authenticate": "Bearer" }
} as const

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
