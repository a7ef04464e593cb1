import { connect } from "node:net"

export interface RawAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/**
 * Sends bytes over a new connection. Returns the first response, or null if the server closes the
 * connection without one. With `wait`, the body contains everything until the server closes the
 * connection.
 */
export const sendRaw = (
  port: number,
  bytes: string | Uint8Array,
  wait = false
): Promise<RawAnswer | null> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    const chunks: Array<Buffer> = []
    const done = () => {
      const answer = parse(Buffer.concat(chunks).toString("utf8"))
      socket.destroy()
      resolve(answer)
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk)
      const answer = parse(Buffer.concat(chunks).toString("utf8"))
      if (
        !wait && answer !== null &&
        Buffer.byteLength(answer.body) >= Number(answer.headers["content-length"] ?? 0)
      ) done()
    })
    socket.on("end", done)
    socket.on("error", (error: Error & { readonly code?: string }) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? done() : reject(error))
    socket.on("connect", () =>
      socket.write(bytes))
  })

const parse = (text: string): RawAnswer | null => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return null
  const [first, ...lines] = text.slice(0, end).split("\r\n")
  return {
    status: Number(first!.split(" ")[1]),
    headers: Object.fromEntries(
      lines.map((
        line
      ) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim()
      ])
    ),
    body: text.slice(end + 4)
  }
}
