import { connect, type Socket } from "node:net"

interface Load {
  readonly port: number
  readonly connections: number
  readonly status?: 200 | 304
}

/** The requested paths, in turn, and the expected status of each answer; 200 by default. */
export interface LoadRequests {
  readonly paths: ReadonlyArray<string>
  /** Header lines of each path, in addition to Host. */
  readonly headers?: ReadonlyArray<string>
  readonly status?: 200 | 304
  /** Whether each request has a different `traceparent`, as behind a tracing proxy. */
  readonly isTraced?: boolean
}

const traceLine = `traceparent: 00-${"0".repeat(32)}-b7ad6b7169203331-00\r\n`

export const requestsOf = (
  { headers = [], isTraced = false, paths }: LoadRequests
): ReadonlyArray<Buffer> =>
  paths.map((path, at) =>
    Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${
        headers[at] === undefined ? "" : `${headers[at]}\r\n`
      }${isTraced ? traceLine : ""}\r\n`
    )
  )

/** Returns the request with its own trace: its number in hexadecimal digits. */
const traced = (request: Buffer, number: number): Buffer => {
  const own = Buffer.from(request)
  own.write(
    (number + 2 ** 40).toString(16),
    own.length - traceLine.length - 2 + "traceparent: 00-".length,
    "latin1"
  )
  return own
}

/** Sends requests over keep-alive connections for some time; returns the answers per second. */
export const load = async (
  { durationMs, headers, isTraced = false, paths, ...options }: Load & LoadRequests & {
    readonly durationMs: number
  }
): Promise<number> => {
  const requests = requestsOf({ isTraced, paths, ...headers === undefined ? {} : { headers } })
  let sentCount = 0
  const started = performance.now()
  let now = started
  let answers = 0
  await exchange(options, () => {
    now = performance.now()
    if (now - started >= durationMs) return undefined
    const request = requests[sentCount++ % requests.length]!
    return isTraced ? traced(request, sentCount) : request
  }, () => answers++)
  return answers / (now - started) * 1000
}

/**
 * Posts each body once over keep-alive connections. The client is simple, because it shares the
 * cores with the server.
 */
export const post = async (
  { bodies, path, ...options }: Load & {
    readonly path: string
    readonly bodies: ReadonlyArray<string>
  }
): Promise<void> => {
  const waiting = bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${
        Buffer.byteLength(body)
      }\r\n\r\n${body}`
    )
  )
  await exchange(options, () => waiting.pop(), () => {})
}

/** Maximum bytes of a response head. */
export const headMax = 2048

/**
 * Sends one request after the other on each connection until there is none; every response must
 * have the status, and its length if it has a body.
 */
const exchange = (
  { connections, port, status = 200 }: Load,
  next: () => Buffer | undefined,
  answered: () => void
): Promise<void> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    const fail = (error: Error) => {
      for (const socket of sockets) socket.destroy()
      reject(error)
    }
    const send = (socket: Socket) => {
      const request = next()
      if (request !== undefined) return void socket.write(request)
      sockets.delete(socket)
      socket.destroy()
      if (sockets.size === 0) resolve()
    }
    for (let i = 0; i < connections; i++) {
      const socket = connect(port, "127.0.0.1")
      socket.setNoDelay(true)
      sockets.add(socket)
      let head = ""
      let received = 0
      let missing = 0
      socket.on("data", (chunk) => {
        if (missing === 0) {
          // of a large answer only the head is read
          head += chunk.toString("latin1", 0, headMax)
          received += chunk.length
          const end = head.indexOf("\r\n\r\n")
          if (end < 0) return
          const length = status === 304 ? "0" : /content-length: (\d+)/iu.exec(head)?.[1]
          if (!head.startsWith(`HTTP/1.1 ${status}`) || length === undefined) {
            return fail(new Error(`Expected ${status} and a length: ${head.slice(0, 500)}`))
          }
          missing = Number(length) - (received - end - 4)
        } else {
          missing -= chunk.length
        }
        if (missing > 0) return
        head = ""
        received = missing = 0
        answered()
        send(socket)
      })
      socket.on("error", fail)
      socket.on("connect", () => send(socket))
    }
  })

/** Returns the median, and half the interquartile range as the spread. */
export const median = (values: ReadonlyArray<number>) => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  return { median: at(0.5), spread: (at(0.75) - at(0.25)) / 2 }
}
