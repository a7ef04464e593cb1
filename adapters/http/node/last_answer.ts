import type { Socket } from "node:net"
import { bodyBytes, type HttpAnswer } from "../message/mod.ts"

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
export const sendLastAnswer = ({ body, headers, status }: HttpAnswer, socket: Socket): void => {
  const all = { ...headers, "content-length": String(bodyBytes(body)), connection: "close" }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body as string}`)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once("end", () => socket.destroySoon()).once("close", () => clearTimeout(timer)).resume()
}
