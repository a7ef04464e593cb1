import { connect, type Socket } from "node:net"
import { noteFigure } from "./_figures.ts"
import { type Asked, headMax, load, median, requestsOf } from "./_load.ts"
import { startServer } from "./_servers.ts"

const connections = 32
const blockPeriodMs = 500
const paths = [
  "/tokens/0", "/accounts/zk:ETH:256", "/transactions-history?limit=20", "/accounts?limit=20", "/batches?limit=20&order=DESC", "/state",
  "/transactions-history?accountIndex=zk:ETH:256&limit=20&order=DESC", "/slots?limit=20"
]

/**
 * How long answers take, from when they were due to be asked for, at 70 % of what ours answers at its best, while a block is applied twice a
 * second; and the same of the bare peer, which applies nothing. Several rounds, by turns.
 */
export const benchTail = async ({ durationMs, rounds }: { readonly rounds: number; readonly durationMs: number }): Promise<void> => {
  const ours = await startServer("./_live_server.ts", [String(blockPeriodMs)])
  const raw = await startServer("./_raw_server.ts", [`http://127.0.0.1:${ours.port}`, ...paths])
  try {
    const figures = { ours: [] as Array<Tail>, raw: [] as Array<Tail> }
    for (let round = -1; round < rounds; round++) {
      for (const [name, { port }] of [["ours", ours], ["raw", raw]] as const) {
        const capacity = await load({ port, paths, connections, durationMs: durationMs / 2 })
        const tail = await tailOf({ port, paths, ratePerSecond: 0.7 * capacity, durationMs })
        if (round >= 0) figures[name].push(tail)
      }
    }
    for (const [name, what] of [["ours", "ours, with blocks"], ["raw", "node:http, standing still"]] as const) {
      const some = figures[name]
      const { median: ratio, spread } = median(some.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms))
      const told = `${ratio.toFixed(2)} ± ${spread.toFixed(2)}`
      const ms = (of: (tail: Tail) => number) => median(some.map(of)).median.toFixed(3)
      console.log(`  ${`p99 ÷ p50, ${what}`.padEnd(48)} ${told}   (${ms(({ p99Ms }) => p99Ms)} ÷ ${ms(({ p50Ms }) => p50Ms)} ms at ${Math.round(median(some.map(({ ratePerSecond }) => ratePerSecond)).median)} requests/s)`)
      noteFigure("tail", `${name === "ours" ? "" : "bare peer, standing still, "}${told}`)
    }
  } finally {
    await Promise.all([ours.stop(), raw.stop()])
  }
}

interface Tail {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly ratePerSecond: number
}

/** Asks at a rate, whether the answers keep up or not: a request that is late because others are counts its waiting. */
const tailOf = async ({ durationMs, port, ratePerSecond, ...asked }: Asked & { readonly port: number; readonly ratePerSecond: number; readonly durationMs: number }): Promise<Tail> => {
  const requests = requestsOf(asked)
  const latencies: Array<number> = []
  const free: Array<Socket> = []
  const dueMs = new WeakMap<Socket, number>()
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const failures: Array<Error> = []
  for (const socket of sockets) {
    let missing = 0
    socket.on("error", (error) => failures.push(error))
    socket.on("data", (chunk) => {
      if (missing === 0) {
        const head = chunk.toString("latin1", 0, headMax)
        const end = head.indexOf("\r\n\r\n")
        const length = /content-length: (\d+)/iu.exec(head.slice(0, end))?.[1]
        if (!head.startsWith("HTTP/1.1 200") || end < 0 || length === undefined) {
          failures.push(new Error(`Expected 200 and a length in the first bytes: ${head.slice(0, 300)}`))
          return
        }
        missing = Number(length) - (chunk.length - end - 4)
      } else missing -= chunk.length
      if (missing > 0) return
      missing = 0
      latencies.push(performance.now() - dueMs.get(socket)!)
      free.push(socket)
    })
    free.push(socket)
  }
  const started = performance.now()
  let sent = 0
  while (failures.length === 0) {
    const now = performance.now() - started
    if (now > durationMs && free.length === connections) break
    const due = now < durationMs ? Math.floor(now / 1000 * ratePerSecond) + 1 - sent : 0
    for (let left = Math.min(due, free.length); left > 0; left--) {
      const socket = free.pop()!
      dueMs.set(socket, started + sent / ratePerSecond * 1000)
      socket.write(requests[sent++ % requests.length]!)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const socket of sockets) socket.destroy()
  if (failures.length > 0) throw failures[0]
  latencies.sort((a, b) => a - b)
  return { p50Ms: latencies[Math.floor(latencies.length * 0.5)]!, p99Ms: latencies[Math.floor(latencies.length * 0.99)]!, ratePerSecond }
}

const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket))
    socket.setNoDelay(true)
    socket.once("error", reject)
  })
