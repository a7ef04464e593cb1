import { Effect, Exit, Fiber, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Application } from "../application.ts"
import { type Admission, bodyBytes, type HttpAnswer } from "../message/mod.ts"
import type { Connection, Connections } from "./_connections.ts"
import { readBody } from "./_request_body.ts"

/**
 * How long the rest of an unread body is read and discarded. If the connection were closed at once,
 * it would be reset before the client has read the answer.
 */
const discardMs = 1000

export interface RequestHandlerOptions {
  readonly application: Application["Service"]
  readonly admit: () => Admission
  readonly connections: Connections
  readonly run: (effect: Effect.Effect<HttpAnswer>) => Fiber.Fiber<HttpAnswer>
  /** When it closes, the computations of answers are interrupted. */
  readonly scope: Scope.Scope
}

export type RequestHandler = (source: IncomingMessage, response: ServerResponse) => void

/**
 * Returns the listener for `request`. Unlike `HttpServer.serve` it needs no fiber, no scope and no
 * copy of the headers for an answer that is known at once (test/bench/RESULTS.md).
 */
export const makeRequestHandler = (
  { admit, application, connections, run, scope }: RequestHandlerOptions
): RequestHandler => {
  const { accepts } = connections
  const answer = (
    source: IncomingMessage,
    response: ServerResponse,
    connection: Connection
  ): void => {
    const effect = isHostMissing(source)
      ? application.refuse(hostMissing)
      : application.handle({
        method: source.method!,
        url: source.url!,
        headers: source.headers,
        body: (bytesMax) => readBody(source, bytesMax),
        peer: source.socket,
        admit,
        accepts
      })
    const end = (exit: Exit.Exit<HttpAnswer>): void => {
      // the only failure is an interruption: the client disconnected, or the server stopped
      if (Exit.isFailure(exit)) return void response.destroy()
      send(exit.value, source, response, connections.isDraining)
      connections.onSent(connection)
    }
    if (Exit.isExit(effect)) return end(effect as Exit.Exit<HttpAnswer>)
    const fiber = run(effect)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return end(exit)
    Fiber.runIn(fiber, scope).addObserver(end)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }
  return (source, response) => {
    const connection = connections.get(source.socket)
    if (connection === undefined) return void response.destroy()
    connection.enqueue(response, () => answer(source, response, connection))
  }
}

const hostMissing = {
  name: "malformed-request",
  message: "The header Host is missing: HTTP/1.1 requires it"
} as const

/**
 * Returns whether a request of HTTP/1.1 lacks the header `Host`, which HTTP/1.0 does not require.
 */
const isHostMissing = ({ headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1

/** Returns whether a body follows the headers. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

const send = (
  answer: HttpAnswer,
  source: IncomingMessage,
  response: ServerResponse,
  isLast: boolean
): void => {
  if (response.destroyed || response.headersSent) return
  const { body, isAscii, status } = answer
  const isUnread = hasBody(source) && !source.readableEnded
  let { headers } = answer
  if (headers["content-length"] === undefined && status !== 204 && status !== 304) {
    headers = {
      ...headers,
      "content-length": `${isAscii === true ? body.length : bodyBytes(body)}`
    }
  }
  if (isLast || isUnread && status === 413) headers = { ...headers, connection: "close" }
  response.writeHead(status, headers)
  if (isUnread) discardBody(source, response, body)
  else if (typeof body === "string") response.end(body, isAscii === true ? "latin1" : "utf8")
  else response.end(body)
}

/**
 * Sends an answer to a request whose body is still arriving, and discards the body. The answer ends
 * after the body, so that the client does not reuse the connection too early.
 */
const discardBody = (
  source: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array
): void => {
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(() => {
    response.end()
    source.socket.destroySoon()
  }, discardMs)
  source.on("error", () => undefined).once("close", end).once("end", end).resume()
  if (body === "") response.flushHeaders()
  else response.write(body)
}
