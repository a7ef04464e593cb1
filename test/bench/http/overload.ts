import { connect } from "node:net"
import { kinds } from "../../tools/overload/_kinds.ts"
import { quantile } from "../../tools/overload/_report.ts"
import { ann, bob, signed, transactionText } from "../../submission/_wallets.ts"
import { showFigure } from "../_figures.ts"
import { median } from "../_load.ts"
import { type BenchServer, startServer } from "../_servers.ts"
import { type ClosedLoop, type ClosedLoopClients, startClosedLoopClients } from "./_closed_loop.ts"

interface OverloadOptions {
  readonly rounds: number
  readonly durationMs: number
}

/** The clients at which the server is at capacity, and multiples of them. */
const clientsAtCapacity = 128
const multiples = [4, 16] as const

/** Signed transactions for a second, at most what two cores verify. */
const postsPerSecondMax = 1500

/** Interval at which new connections are opened during a run. */
const probeMs = 25

/**
 * Measures what a server still serves to 4 and 16 times as many clients as it has capacity for, if
 * they ignore `Retry-After`; and how long the first answer on a new connection takes meanwhile.
 * Servers that pace their refusals, and that send them at once, take turns in each round.
 */
export const benchOverload = async (options: OverloadOptions): Promise<void> => {
  for (const kind of ["reads", "posts"] as const) {
    const script = kind === "reads" ? "./_our_server.ts" : "./_posting_server.ts"
    const cache = kind === "reads" ? [String(2 ** 26)] : []
    const cores = kind === "reads" ? "one" : "all"
    const start = (delay: ReadonlyArray<string>) =>
      startServer(import.meta.resolve(script), [...cache, ...delay], cores)
    const servers = [["paced", await start([])], ["at once", await start(["0"])]] as const
    const clients = startClosedLoopClients()
    try {
      const results = new Map<string, Array<Run>>()
      for (let round = 0; round < options.rounds; round++) {
        for (const [name, server] of round % 2 === 0 ? servers : servers.toReversed()) {
          for (const multiple of [1, ...multiples]) {
            const run = await measure(clients, server, kind, clientsAtCapacity * multiple, options)
            const key = `${name} ${multiple}`
            results.set(key, [...results.get(key) ?? [], run])
          }
        }
      }
      for (const [name] of servers) {
        const capacity = results.get(`${name} 1`)!
        for (const multiple of [1, ...multiples]) {
          tell(`${kind}, refusals ${name}`, multiple, results.get(`${name} ${multiple}`)!, capacity)
        }
      }
    } finally {
      clients.stop()
      await Promise.all(servers.map(([, server]) => server.stop()))
    }
  }
}

interface Run {
  readonly servedPerSecond: number
  readonly refusedPerSecond: number
  /** The time of the first answer on each new connection, and how many of them were served. */
  readonly newMs: ReadonlyArray<number>
  readonly newServed: number
}

let nonces = 0
let bodiesLeft = 0

const measure = async (
  clients: ClosedLoopClients,
  { port }: BenchServer,
  kind: ClosedLoop["kind"],
  connections: number,
  { durationMs }: OverloadOptions
): Promise<Run> => {
  const settleMs = durationMs / 2
  if (kind === "posts") {
    const count = (settleMs + durationMs) / 1000 * postsPerSecondMax + connections - bodiesLeft
    clients.addBodies(
      Array.from({ length: Math.max(0, count) }, () => transactionText(nextTransaction()))
    )
  }
  const running = clients.run({ port, kind, connections, settleMs, durationMs })
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const probes: Array<Promise<Probe>> = []
  const probing = setInterval(() => probes.push(probe(port)), probeMs)
  const result = await running
  bodiesLeft = result.bodiesLeft
  clearInterval(probing)
  const probed = await Promise.all(probes)
  return {
    ...result,
    newMs: probed.map(({ tookMs }) => tookMs),
    newServed: probed.filter(({ status }) => status === 200).length / probed.length
  }
}

/** Two wallets post in turn. */
const nextTransaction = () => {
  const nonce = BigInt(nonces >> 1)
  return nonces++ % 2 === 0
    ? signed(ann, { nonce })
    : signed(bob, { fromAccountIndex: 257, toAccountIndex: 256, nonce })
}

interface Probe {
  readonly tookMs: number
  readonly status: number
}

let probed = 300_000

/** Requests a page over a new connection. */
const probe = (port: number): Promise<Probe> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
      socket.write(`GET ${kinds[0]!.path(probed++)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    })
    socket.once("error", reject).once("data", (chunk) => {
      resolve({
        tookMs: performance.now() - startedMs,
        status: Number(chunk.toString("latin1", 9, 12))
      })
      socket.destroy()
    })
  })

const tell = (
  name: string,
  multiple: number,
  runs: ReadonlyArray<Run>,
  capacity: ReadonlyArray<Run>
): void => {
  const share = median(
    runs.map(({ servedPerSecond }, i) => servedPerSecond / capacity[i]!.servedPerSecond)
  )
  const middle = (of: (run: Run) => number) => Math.round(median(runs.map(of)).median)
  const newMs = runs.flatMap((run) => run.newMs)
  showFigure({
    name: `${name}, ${clientsAtCapacity * multiple} clients: share of the capacity served`,
    bound: multiple === 4 && name.endsWith("paced") ? "≥ 0.5, p99 < 1 s" : undefined,
    measured: `${share.median.toFixed(2)} ± ${share.spread.toFixed(2)}`,
    conditions: `served ${middle(({ servedPerSecond }) => servedPerSecond)}/s, refused ${
      middle(({ refusedPerSecond }) => refusedPerSecond)
    }/s; first answer on a new connection p50 ${quantile(newMs, 0.5).toFixed(0)}, p99 ${
      quantile(newMs, 0.99).toFixed(0)
    } ms (${newMs.length}, ${
      Math.round(median(runs.map(({ newServed }) => newServed)).median * 100)
    } % served)`
  })
}
