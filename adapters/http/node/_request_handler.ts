import { Effect, Exit, Fiber, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Application } from "../application.ts"
import { bodyBytes, type HttpAnswer, type HttpRequest } from "../message/mod.ts"
import type { Connection, Connections } from "./_connections.ts"
import { hasBody, readBody } from "./_request_body.ts"

/** How long the rest of a refused body is read and discarded: closing at once would reset the connection before its client has read why. */
const discardMs = 1000

export interface RequestHandlerOptions {
  readonly application: Application["Service"]
  readonly connections: Connections
  readonly run: (effect: Effect.Effect<HttpAnswer>) => Fiber.Fiber<HttpAnswer>
  /** Interrupts what is still being answered when it closes. */
  readonly scope: Scope.Scope
}

export type RequestHandler = (source: IncomingMessage, response: ServerResponse) => void

/**
 * The listener for `request`. It calls the application without a fiber, a scope and a copy of the headers for each
 * request, which cost `HttpServer.serve` half as much again for a cached answer (test/bench/RESULTS.md).
 */
export const makeRequestHandler = (
  { application, connections, run, scope }: RequestHandlerOptions
): RequestHandler => {
  const answer = (
    source: IncomingMessage,
    response: ServerResponse,
    connection: Connection
  ): void => {
    const request = requestOf(source, connections)
    const effect = request === undefined
      ? application.refuse(hostMissing)
      : application.handle(request)
    const end = (exit: Exit.Exit<HttpAnswer>): void => {
      // it is interrupted only if the client has gone or the server has stopped
      if (Exit.isFailure(exit)) return void response.destroy()
      send(exit.value, source, response, connections.isDraining)
      connections.wasSent(connection)
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
    const connection = connections.of(source.socket)
    if (connection === undefined) return void response.destroy()
    connection.begin(response, () => answer(source, response, connection))
  }
}

const hostMissing = {
  name: "malformed-request",
  message: "The header Host is missing: HTTP/1.1 requires it"
} as const

/** The request as the application reads it; undefined if HTTP/1.1 came without a Host. */
const requestOf = (source: IncomingMessage, { accepts }: Connections): HttpRequest | undefined => {
  const { headers, httpVersionMajor, httpVersionMinor, method, socket, url } = source
  if (headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1) {
    return undefined
  }
  const body = (bytesMax: number) => readBody(source, bytesMax)
  return { method: method!, url: url!, headers, body, peer: socket, accepts }
}

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

/** Sends an answer to a request whose body is still arriving, and ends it after the body. */
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
