import { connect } from "node:net"

/*
 * A client that takes as little of the cores as one in Node can, in a process of its own: each connection asks for one path again and again,
 * learns from the first answer how long its body is, and then counts bytes. Prints the answers and its own use of the processor, in seconds.
 *
 *     node _worker_load.ts <port> <connections> <durationMs> <path>...
 */
const [port = 0, connections = 0, durationMs = 0] = process.argv.slice(2, 5).map(Number)
const paths = process.argv.slice(5)
let answers = 0
let open = connections
const started = performance.now()
const before = process.cpuUsage()

const ask = (path: string) => {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  const socket = connect(port, "127.0.0.1").setNoDelay(true)
  let head: Buffer | undefined
  let bodyBytes: number | undefined
  let missing = 0
  const end = () => {
    socket.destroy()
    if (--open > 0) return
    const { system, user } = process.cpuUsage(before)
    console.log(JSON.stringify({ answers, seconds: (performance.now() - started) / 1000, cpuSeconds: (system + user) / 1e6 }))
  }
  socket.on("connect", () => socket.write(request))
  socket.on("error", (error) => { throw error })
  socket.on("data", (chunk) => {
    if (missing > 0) missing -= chunk.length
    else {
      const begun = head === undefined ? chunk : Buffer.concat([head, chunk])
      const body = begun.indexOf("\r\n\r\n") + 4
      head = body < 4 ? begun : undefined
      if (body < 4) return
      bodyBytes ??= declaredBy(begun.toString("latin1", 0, body))
      missing = body + bodyBytes - begun.length
    }
    if (missing > 0) return
    if (missing < 0) throw new Error(`An answer to ${path} has another length than the first one`)
    answers++
    if (performance.now() - started < durationMs) socket.write(request)
    else end()
  })
}

const declaredBy = (head: string): number => {
  const declared = /content-length: (\d+)/iu.exec(head)?.[1]
  if (head.startsWith("HTTP/1.1 200") && declared !== undefined) return Number(declared)
  throw new Error(`Expected 200 and a length: ${head}`)
}

for (let i = 0; i < connections; i++) ask(paths[i % paths.length]!)
