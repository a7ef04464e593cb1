import { Effect } from "effect"
import { Application } from "./application.ts"
import { bodyBytes, type HttpAnswer, type HttpRequest } from "./message.ts"

/** A web-standard handler, as Deno, Bun, service workers and most frameworks take it. */
export type FetchHandler = (request: Request) => Promise<Response>

/**
 * The application as a fetch handler, with no server and nothing of Node. It sees the URL as the host has normalised it;
 * a host that mounts it below a path of its own strips that path first.
 */
export const fetchHandler: Effect.Effect<FetchHandler, never, Application> = Effect.gen(function*() {
  const { handle } = yield* Application
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  return async (request) => toResponse(await run(handle(toRequest(request)), { signal: request.signal }), request.method)
})

const toRequest = (request: Request): HttpRequest => ({
  method: request.method,
  url: target(request.url),
  headers: Object.fromEntries(request.headers)
})

/** Path and query of an absolute URL. */
const target = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  const end = url.indexOf("#")
  return url.slice(start, end < 0 ? url.length : end)
}

const toResponse = ({ status, headers, body }: HttpAnswer, method: string): Response =>
  method === "HEAD" || status === 204
    ? new Response(null, { status, headers })
    : new Response(body as BodyInit, { status, headers: { ...headers, "content-length": String(bodyBytes(body)) } })
