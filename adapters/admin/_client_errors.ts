import type { Server } from "node:http"
import type { Socket } from "node:net"
import { sendLastAnswer } from "../http/node/mod.ts"
import type { AdminLimitHits } from "./limit.ts"
import { type Refusal, refusal } from "./_reply.ts"

/** Answers malformed requests with a problem and destroys their connections. */
export const answerClientErrors = (server: Server, hits: AdminLimitHits): void => {
  const answering = new WeakSet<Socket>()
  server.on("request", ({ socket }, response) => {
    answering.add(socket)
    response.once("close", () => void answering.delete(socket))
  })
  const refused = new WeakSet<Socket>()
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // Node emits an error for each further chunk
    if (refused.has(socket)) return
    refused.add(socket)
    const { limit, ...reason } = refusalOf(error.code)
    if (limit !== undefined) hits[limit]++
    // do not write into an answer that has started
    if (error.code === "ECONNRESET" || !socket.writable || answering.has(socket)) socket.destroy()
    else sendLastAnswer(refusal(reason, ""), socket)
  })
}

const refusalOf = (
  code: string | undefined
): Refusal & { readonly limit?: keyof AdminLimitHits } => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        name: "headers-too-large",
        message: "URL and headers are too large",
        limit: "adminHeaderBytesMax"
      }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        name: "request-timeout",
        message: "The headers did not arrive in time: send them at once",
        limit: "adminHeadersTimeoutMs"
      }
    default:
      return {
        name: "malformed-request",
        message: "The request is not well-formed HTTP/1.1"
      }
  }
}
