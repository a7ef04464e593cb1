import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import type { AdminLimitHits } from "./limit.ts"
import { type Refusal, refusal } from "./_reply.ts"

const { STATUS_CODES } = process.getBuiltinModule("node:http")

/** Answers what never becomes a request in the form of every refusal. */
export const answerClientErrors = (server: Server, hits: AdminLimitHits): void => {
  server.on("clientError", (error: Error & { readonly code?: string }, socket: Duplex & { readonly _httpMessage?: object | null }) => {
    const { limit, ...refused } = refusalOf(error.code)
    if (limit !== undefined) hits[limit]++
    // an answer that has begun is not cut into
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage != null) {
      socket.destroy()
      return
    }
    const { body, headers, status } = refusal(refused, "")
    const lines = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" })
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join("")}\r\n${body}`)
  })
}

const refusalOf = (code: string | undefined): Refusal & { readonly limit?: keyof AdminLimitHits } => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { name: "headers-too-large", message: "URL and headers are too large", limit: "adminHeaderBytesMax" }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { name: "request-timeout", message: "The headers did not arrive in time: send them at once", limit: "adminHeadersTimeoutMs" }
    default:
      return { name: "malformed-request", message: "The bytes that arrived are no well-formed HTTP/1.1 request" }
  }
}
