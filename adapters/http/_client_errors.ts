import { Effect, type Fiber } from "effect"
import type { Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { Application } from "./application.ts"
import { bodyBytes, type HttpAnswer } from "./message.ts"
import type { Problem } from "./problem.ts"

// see server.ts
const { STATUS_CODES } = process.getBuiltinModule("node:http")

/** Answers what never becomes a request for Node, faults of its parser and CONNECT, in the same form as everything else. */
export const answerClientErrors = (
  server: Server, application: Application["Service"], run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
) => {
  const refused = new WeakSet<Duplex>()
  server.on("clientError", (error: Error & { readonly code?: string }, socket: Spoken) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    // Node tells of whatever else comes too
    if (refused.has(socket)) return
    refused.add(socket)
    afterEarlier(socket, () => {
      // nobody reads it, or the bytes would end up inside of an answer that has begun
      if (!socket.writable || socket._httpMessage?.headersSent === true) socket.destroy()
      else run(Effect.map(application.refuse(refusalOf(error.code, socket)), (answer) => writeLast(answer, socket)))
    })
  })
  server.on("connect", ({ method, url, headers }, socket: Duplex & { readonly _httpMessage?: ServerResponse }) => {
    // Node has let go of the socket, and nobody else listens
    socket.on("error", () => socket.destroy())
    if (socket._httpMessage != null) socket.destroy()
    else run(Effect.map(application.handle({ method: method!, url: url!, headers }), (answer) => writeLast(answer, socket)))
  })
  // an expectation that is not known is met by ignoring it
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
}

interface Spoken extends Duplex {
  /** The response whose turn it is. */
  readonly _httpMessage?: ServerResponse | null
}

/** Requests that came as a whole before bytes that are none keep their answers. */
const afterEarlier = (socket: Spoken, then: () => void): void => {
  const begun = socket._httpMessage
  if (begun?.req.complete === true && !begun.destroyed) begun.once("close", () => afterEarlier(socket, then))
  else then()
}

const writeLast = ({ status, headers, body }: HttpAnswer, socket: Duplex) => {
  const lines = Object.entries({ ...headers, "content-length": String(bodyBytes(body)), connection: "close" })
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join("")}\r\n${body as string}`)
}

/** A request that has its headers has an answer that waits for the body. */
const refusalOf = (code: string | undefined, { _httpMessage: begun }: { readonly _httpMessage?: ServerResponse | null }): Problem => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { name: "headers-too-large", message: "URL and headers are too large", limit: "headerBytesMax" }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return begun == null
        ? { name: "request-timeout", message: "The headers did not arrive in time: send them at once", limit: "headersTimeoutMs" }
        : { name: "request-timeout", message: "The request did not arrive in time: send it at once", limit: "requestTimeoutMs" }
    default:
      return { name: "malformed-request", message: "The bytes that arrived are no well-formed HTTP/1.1 request" }
  }
}
