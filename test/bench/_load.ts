import { connect, type Socket } from "node:net"

/** Sends one request again and again over keep-alive connections for some time; the answers a second. */
export const load = (options: {
  readonly port: number
  readonly path: string
  readonly connections: number
  readonly durationMs: number
}): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = Buffer.from(`GET ${options.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    const sockets: Array<Socket> = []
    let answers = 0
    const started = performance.now()
    const stop = () => {
      const seconds = (performance.now() - started) / 1000
      for (const socket of sockets) socket.destroy()
      resolve(answers / seconds)
    }
    for (let i = 0; i < options.connections; i++) {
      const socket = connect(options.port, "127.0.0.1")
      socket.setNoDelay(true)
      sockets.push(socket)
      let head = ""
      let missing = 0
      socket.on("data", (chunk) => {
        if (missing === 0) {
          head += chunk.toString("latin1")
          const end = head.indexOf("\r\n\r\n")
          if (end < 0) return
          if (!head.startsWith("HTTP/1.1 200")) return reject(new Error(head.slice(0, 500)))
          const length = /content-length: (\d+)/iu.exec(head)?.[1]
          if (length === undefined) return reject(new Error(`No Content-Length: ${head.slice(0, 500)}`))
          missing = Number(length) - (head.length - end - 4)
        } else {
          missing -= chunk.length
        }
        if (missing > 0) return
        head = ""
        missing = 0
        answers++
        socket.write(request)
      })
      socket.on("error", reject)
      socket.on("connect", () => socket.write(request))
    }
    setTimeout(stop, options.durationMs)
  })

/** The middle value, and half the distance between the quartiles as its spread. */
export const median = (values: ReadonlyArray<number>) => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  return { median: at(0.5), spread: (at(0.75) - at(0.25)) / 2 }
}
