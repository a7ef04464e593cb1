import type { IncomingMessage, ServerResponse } from "node:http"
import {
  type HandlerOptions,
  isBasePath,
  type Location,
  makeLocator,
  type RequestTarget
} from "../fetch.ts"
import { readBody, sendAnswer } from "./_request_handler.ts"

/** A listener for requests of `node:http`. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Returns a handler for hosts on `node:http`, such as Express, that have a server of their own. The
 * limits of `serverLayer` for connections and overload are left to the host. Use it before
 * middleware that reads bodies. Below a path of Express it needs no `basePath`, since `originalUrl`
 * has it. Throws if `basePath` is malformed.
 *
 * @example
 * ```ts
 * import { once } from "node:events"
 * import { createServer } from "node:http"
 * import type { AddressInfo } from "node:net"
 * import { openNode } from "rollup-node-api/embed"
 * import { toNodeHandler } from "rollup-node-api/http/node"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const server = createServer(toNodeHandler(node, { basePath: "/rollup" })).listen(0)
 * await once(server, "listening")
 * const { port } = server.address() as AddressInfo
 * const url = `http://localhost:${port}`
 * const response = await fetch(`${url}/rollup/tokens/0`)
 * console.log(response.status, (await response.json()).symbol) // => 200 ETH
 * server.close()
 * server.closeAllConnections()
 * await node.close()
 * ```
 */
export const toNodeHandler = (
  { handle }: RequestTarget,
  { basePath }: HandlerOptions = {}
): NodeHandler => {
  const locate = makeLocator(basePath)
  return (source, response) => {
    const { headers, method, socket, url } = source as IncomingMessage & {
      readonly method: string
      readonly url: string
    }
    const disconnected = new AbortController()
    response.once("close", () => {
      if (!response.writableEnded) disconnected.abort()
    })
    handle({
      ...stripped(url, (source as { readonly originalUrl?: unknown }).originalUrl) ?? locate(url),
      method,
      headers,
      peer: socket,
      body: (bytesMax) => readBody(source, bytesMax)
    }, disconnected.signal).then(
      (answer) => sendAnswer(answer, source, response, false),
      // the client disconnected, or the node is closed
      () => response.destroy()
    )
  }
}

/**
 * Returns the location of a request from which a framework has removed the base path: Express,
 * Connect and others keep the whole URL in `originalUrl`. Returns undefined for other requests.
 */
const stripped = (url: string, originalUrl: unknown): Location | undefined => {
  if (typeof originalUrl !== "string" || originalUrl === url) return undefined
  const [path, original] = [url.split("?", 1)[0]!, originalUrl.split("?", 1)[0]!]
  // the framework turns the empty rest into a slash
  const isExact = path === "/" && !original.endsWith("/")
  if (!isExact && !original.endsWith(path)) return undefined
  const basePath = isExact ? original : original.slice(0, -path.length)
  return isBasePath(basePath)
    ? { url: basePath + (isExact ? url.slice(1) : url), basePath }
    : undefined
}
