import { Effect } from "effect"
import { Application } from "./application.ts"
import { type HttpAnswer, type HttpRequest, type ProblemName } from "./message/mod.ts"

/** A web-standard handler, as Deno, Bun, service workers and most frameworks use it. */
export type FetchHandler = (request: Request) => Promise<Response>

/** What answers requests of any transport, such as a node of `rollup-node-api/embed`. */
export interface RequestTarget {
  /** Answers a request. Rejects only if the signal aborts. */
  readonly handle: (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>
}

/** Options of `toFetchHandler` and of `toNodeHandler`. */
export interface HandlerOptions {
  /**
   * The path below which the host serves the handler, such as `/rollup`. A request may have this
   * path or, if a framework removes it, only the rest. It must not be a path of the API itself.
   */
  readonly basePath?: string
}

/**
 * Returns a fetch handler, such as `fetch` of a node, that is served below a path: redirects, links,
 * `servers` of the OpenAPI document and error messages include this path. Throws if the path is
 * malformed.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { toFetchHandler } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const fetch = toFetchHandler(node, { basePath: "/rollup" })
 * const response = await fetch(new Request("http://localhost/rollup/openapi.json"))
 * console.log((await response.json()).servers[0].url) // => /rollup
 * await node.close()
 * ```
 */
export const toFetchHandler = (
  { handle }: RequestTarget,
  { basePath }: HandlerOptions = {}
): FetchHandler => {
  const locate = makeLocator(basePath)
  return async (request) =>
    toResponse(
      await handle({ ...locate(targetOf(request.url)), ...toRequest(request) }, request.signal)
    )
}

/**
 * Returns the application as a fetch handler, without a server. Errors become problem answers; the
 * handler rejects only if `request.signal` aborts.
 *
 * @example
 * ```ts
 * import { Layer, ManagedRuntime } from "effect"
 * import { Submission, wireContext } from "rollup-node-api"
 * import { keccak256, inlineVerifier } from "rollup-node-api/crypto"
 * import { Application, fetchHandler } from "rollup-node-api/http"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { constants, network } = genesis
 * const layer = Application.layer({ constants, context: wireContext(network, keccak256) }).pipe(
 *   Layer.provide(Submission.layer({ network, keccak256 })),
 *   Layer.provide(inlineVerifier(network)),
 *   Layer.provide(Layer.merge(Memory.layer(genesis), Memory.poolLayer))
 * )
 * const runtime = ManagedRuntime.make(layer)
 * const handler = await runtime.runPromise(fetchHandler)
 * const response = await handler(new Request("http://localhost/tokens/0"))
 * const token = await response.json()
 * console.log(response.status, token.symbol) // => 200 ETH
 * await runtime.dispose()
 * ```
 */
export const fetchHandler: Effect.Effect<FetchHandler, never, Application> = Effect.gen(
  function*() {
    const { handle } = yield* Application
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    return toFetchHandler({ handle: (request, signal) => run(handle(request), { signal }) })
  }
)

const toRequest = (request: Request): Omit<HttpRequest, "url"> => ({
  method: request.method,
  headers: Object.fromEntries(request.headers),
  body: (bytesMax) =>
    Effect.flatMap(
      Effect.promise(() => readBody(request, bytesMax)),
      (read) => typeof read === "string" ? Effect.fail(read) : Effect.succeed(read)
    )
})

/**
 * Reads a body of at most `bytesMax` bytes. Returns a problem if it is longer or cannot be read.
 */
const readBody = async (request: Request, bytesMax: number): Promise<Uint8Array | ProblemName> => {
  if (request.body === null) return new Uint8Array()
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  let bytes = 0
  try {
    for (const reader = request.body.getReader();;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      if (bytes > bytesMax) {
        reader.cancel().catch(() => undefined)
        return "body-too-large"
      }
      chunks.push(value)
    }
  } catch {
    return "malformed-request"
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Returns path and query of an absolute URL. */
const targetOf = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  const end = url.indexOf("#")
  return url.slice(start, end < 0 ? url.length : end)
}

const toResponse = ({ body, headers, status }: HttpAnswer): Response =>
  // an empty string would get a `Content-Type`
  new Response(body === "" ? null : body as BodyInit, { status, headers })

/** The URL of a request as the client sent it, and the path below which the host serves it. */
export type Location = Pick<HttpRequest, "url" | "basePath">

/**
 * Returns whether a text is a path without a slash at its end. It has no empty segment and no
 * backslash, with which a link would name another host.
 */
export const isBasePath = (path: string): boolean => /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/u.test(path)

/**
 * Returns a function that locates a request whose URL includes the base path, or lacks it because a
 * framework has removed it. Throws if the base path is malformed.
 */
export const makeLocator = (basePath: string | undefined): (url: string) => Location => {
  if (basePath === undefined || basePath === "" || basePath === "/") return (url) => ({ url })
  if (!isBasePath(basePath)) {
    throw new Error(
      `Cannot serve below ${JSON.stringify(basePath)}: expected a path such as /rollup`
    )
  }
  const isBelow = (url: string): boolean =>
    url.startsWith(basePath) && ["/", "?", ""].includes(url.charAt(basePath.length))
  return (url) => ({ url: isBelow(url) ? url : basePath + url, basePath })
}
