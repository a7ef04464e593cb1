import type { Socket } from "node:net"
import { type HttpAnswer, type Admission, type Problem, isStream } from "../message/mod.ts"
import { Effect, type Fiber } from "effect"
import type { IncomingMessage, Server } from "node:http"
import type { Application } from "../application.ts"
import type { Connections } from "./_connections.ts"

// see server.ts
const { STATUS_CODES } = process.getBuiltinModule("node:http")

/**
 * How long a connection stays open after its last answer. If bytes arrive at a closed connection,
 * it is reset, and the client may lose the answer.
 */
const lingerMs = 500

/**
 * Writes an answer to a socket of `node:http` that has no `ServerResponse`, such as after a
 * `clientError`. Closes the connection when the client does, and destroys it after half a second.
 */
const sendLastAnswer = (answer: HttpAnswer, socket: Socket): void => {
  const { body, headers, status } = answer
  const all = { ...headers, connection: "close" }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`)
  // a problem is no stream
  socket.end(isStream(body) ? "" : body)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once("end", () => socket.destroySoon()).once("close", () => clearTimeout(timer)).resume()
}

interface ClientErrorsOptions {
  readonly server: Server
  readonly application: Application["Service"]
  readonly admit: () => Admission
  readonly connections: Connections
  readonly run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
}

/**
 * Answers malformed requests and CONNECT with a problem. Node emits no `request` for them, but
 * hands over the socket; it is destroyed soon after the answer.
 */
export const answerClientErrors = (
  { admit, application, connections, run, server }: ClientErrorsOptions
): void => {
  const answer = (effect: Effect.Effect<HttpAnswer>, socket: Socket) =>
    void run(Effect.map(effect, (answer) => sendLastAnswer(answer, socket)))
  const refused = new WeakSet<Socket>()
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // Node emits an error for each further chunk
    if (refused.has(socket)) return
    refused.add(socket)
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    const connection = connections.get(socket)
    const current = connection?.current
    // a request whose body is incomplete has no answer yet, unless it was refused early
    const isPartial = current !== undefined && !current.req.complete
    const refuse = () => {
      if (!socket.writable || isPartial && current.headersSent) socket.destroy()
      else answer(application.refuse(refusalOf(error.code, isPartial)), socket)
    }
    // earlier requests that arrived completely are answered first
    if (connection === undefined || isPartial) refuse()
    else connection.whenIdle(refuse)
  })
  server.on("connect", ({ headers, method, url }: IncomingMessage, stream) => {
    const socket = stream as Socket
    // Node has removed its listeners; an error without a listener would end the process
    socket.on("error", () => socket.destroy())
    const request = { method: method!, url: url!, headers, admit }
    const refuse = () => answer(application.handle(request), socket)
    const connection = connections.get(socket)
    if (connection === undefined) refuse()
    else connection.whenIdle(refuse)
  })
}

const refusalOf = (code: string | undefined, isPartial: boolean): Problem => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        name: "headers-too-large",
        message: "URL and headers are too large",
        limit: "headerBytesMax"
      }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return isPartial
        ? {
          name: "request-timeout",
          message: "The request did not arrive in time: send it at once",
          limit: "requestTimeoutMs"
        }
        : {
          name: "request-timeout",
          message: "The headers did not arrive in time: send them at once",
          limit: "headersTimeoutMs"
        }
    default:
      return {
        name: "malformed-request",
        message: "The request is not well-formed HTTP/1.1"
      }
  }
}
