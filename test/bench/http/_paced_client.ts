import { connect, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { headMax, requestsOf } from "../_load.ts"
import type { PacedRequests, PacedResult } from "./_paced.ts"

/*
 * A client in its own process, which does nothing else: each line of its standard input describes
 * the requests, each line of its output is a result. It never sleeps, writes prepared requests,
 * reads every answer into the same bytes and parses only heads. Without a rate it sends a request
 * as soon as an answer has arrived, which measures the capacity; the same client then sends
 * requests at a share of it. It does not use real-time priority, because the kernel stops such a
 * process for a twentieth of each second.
 */

interface Connection {
  readonly socket: Socket
  dueMs: number
  /** Bytes of the answer that have not arrived yet. */
  missing: number
}

const host = "127.0.0.1"
const received = Buffer.allocUnsafe(65_536)

const ask = async (
  { connections, durationMs, paths, port, ratePerSecond }: PacedRequests
): Promise<PacedResult> => {
  const requests = requestsOf({ paths })
  const free: Array<Connection> = []
  const failures: Array<Error> = []
  const answersMax = ratePerSecond === null ? 0 : Math.ceil(ratePerSecond * durationMs / 1000) + 1
  const latencies = new Float64Array(answersMax)
  const lateness = new Float64Array(answersMax)
  const betweenMs = ratePerSecond === null ? 0 : 1000 / ratePerSecond
  let [sent, answers, startedMs, endMs, lastMs, freeSinceMs] = [0, 0, Infinity, Infinity, 0, 0]

  /** Sends the requests that are due, as long as a connection is free. */
  const send = (nowMs: number) => {
    while (free.length > 0) {
      const dueMs = ratePerSecond === null ? nowMs : startedMs + sent * betweenMs
      if (dueMs > nowMs || dueMs >= endMs) return
      const connection = free.pop()!
      connection.dueMs = dueMs
      // if all connections were waiting, the server is late, not the client
      if (ratePerSecond !== null) lateness[sent] = nowMs - Math.max(dueMs, freeSinceMs)
      connection.socket.write(requests[sent++ % requests.length]!)
    }
  }
  const receive = (connection: Connection, length: number) => {
    if (connection.missing === 0) {
      const head = received.toString("latin1", 0, Math.min(length, headMax))
      const end = head.indexOf("\r\n\r\n")
      const declared = /content-length: (\d+)/iu.exec(head)?.[1]
      if (!head.startsWith("HTTP/1.1 200") || end < 0 || declared === undefined) {
        failures.push(
          new Error(`Expected 200 and a length in the first bytes: ${head.slice(0, 300)}`)
        )
        return
      }
      connection.missing = Number(declared) + end + 4
    }
    connection.missing -= length
    if (connection.missing > 0) return
    lastMs = performance.now()
    if (ratePerSecond !== null) latencies[answers] = lastMs - connection.dueMs
    answers++
    if (free.length === 0) freeSinceMs = lastMs
    free.push(connection)
    send(lastMs)
  }

  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect({
          port,
          host,
          noDelay: true,
          onread: {
            buffer: received,
            callback: (length) => {
              receive(connection, length)
              return true
            }
          }
        }, () => resolve(socket))
        const connection: Connection = { socket, dueMs: 0, missing: 0 }
        free.push(connection)
        socket.on("error", reject)
        socket.on("error", (error) => failures.push(error))
        socket.on("close", () => failures.push(new Error("The server has closed a connection")))
      }))
  )
  startedMs = performance.now()
  endMs = startedMs + durationMs
  for (
    let nowMs = startedMs;
    failures.length === 0 && (nowMs < endMs || free.length < connections);
    nowMs = performance.now()
  ) {
    if (nowMs > endMs + patienceMs) {
      failures.push(
        new Error(`${connections - free.length} answers did not come within ${patienceMs} ms`)
      )
    }
    send(nowMs)
    await new Promise(setImmediate)
  }
  for (const socket of sockets) socket.removeAllListeners("close").destroy()
  if (failures.length > 0) throw failures[0]
  const perSecond = answers / (lastMs - startedMs) * 1000
  if (ratePerSecond === null) return { perSecond, latencyMs: null, latenessMs: null }
  return {
    perSecond,
    latencyMs: quantiles(latencies.subarray(0, answers)),
    latenessMs: quantiles(lateness.subarray(0, sent))
  }
}

const patienceMs = 10_000

const quantiles = (values: Float64Array) => {
  const sorted = values.sort()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: sorted.at(-1)! }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await ask(JSON.parse(line) as PacedRequests)))
}
