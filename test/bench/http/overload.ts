import { setTimeout as sleep } from "node:timers/promises"
import { kinds } from "../../tools/overload/_kinds.ts"
import { transactionText } from "../../submission/_wallets.ts"
import { Connection, getRequest } from "../_connection.ts"
import { showRatio } from "../_figures.ts"
import { median, quantile } from "../_load.ts"
import { requestsText, type Rounds } from "../_rates.ts"
import { startNode } from "../_servers.ts"
import { type Clients, type ClosedLoop, type ClosedLoopResult, startClients } from "./_clients.ts"
import { nextTransaction } from "./_next_transaction.ts"

/** The clients at which the server is at capacity, and multiples of them. */
const clientsAtCapacity = 128
const multiples = [1, 4, 16] as const

/** Signed transactions for a second, at most what two cores verify. */
const postsPerSecondMax = 1500

/** Interval at which new connections are opened during a run. */
const probeMs = 25

/**
 * Measures what a server still serves to 4 and 16 times as many clients as it has capacity for, if
 * they ignore `Retry-After`; and how long the first answer on a new connection takes meanwhile.
 * Servers that pace their refusals, and that send them at once, take turns in each round.
 */
export const benchOverload = async ({ durationMs, rounds }: Rounds): Promise<void> => {
  for (const kind of ["reads", "posts"] as const) {
    const node = [kind === "reads" ? "memory" : "posts", 2 ** 26] as const
    await using pacing = await startNode(node)
    await using atOnce = await startNode([...node, 0])
    using clients = startClients()
    const results = new Map<string, Array<Run>>()
    for (let round = 0; round < rounds; round++) {
      const order = [["paced", pacing], ["at once", atOnce]] as const
      for (const [name, { port }] of round % 2 === 0 ? order : order.toReversed()) {
        for (const multiple of multiples) {
          const run = await measure(clients, {
            port,
            requests: kind === "reads" ? "new pages" : "posts",
            connections: clientsAtCapacity * multiple,
            settleMs: durationMs / 2,
            durationMs
          })
          const key = `${name} ${multiple}`
          results.set(key, [...results.get(key) ?? [], run])
        }
      }
    }
    for (const name of ["paced", "at once"]) {
      for (const multiple of multiples) {
        const [own, capacity] = [multiple, 1].map((each) => results.get(`${name} ${each}`)!)
        tell(`${kind}, refusals ${name}`, multiple, own!, capacity!)
      }
    }
  }
}

interface Run extends ClosedLoopResult {
  /** The time of the first answer on each new connection, and how many of them were served. */
  readonly newMs: ReadonlyArray<number>
  readonly newServed: number
}

let bodiesLeft = 0

const measure = async (clients: Clients, load: ClosedLoop): Promise<Run> => {
  const { connections, durationMs, port, requests, settleMs } = load
  if (requests === "posts") {
    const count = (settleMs + durationMs) / 1000 * postsPerSecondMax + connections - bodiesLeft
    clients.addBodies(
      Array.from({ length: Math.max(0, count) }, () => transactionText(nextTransaction()))
    )
  }
  const running = clients.closedLoop(load)
  await sleep(settleMs)
  const probes: Array<ReturnType<typeof probe>> = []
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

let probed = 300_000

/** Requests a page over a new connection. */
const probe = (port: number) =>
  new Promise<{ readonly tookMs: number; readonly status: number }>((resolve, reject) => {
    const startedMs = performance.now()
    const connection = new Connection(port)
    connection.ask(getRequest(kinds[0]!.path(probed++)), (answer) => {
      if (answer === null) return reject(new Error("A new connection had no answer"))
      resolve({ tookMs: performance.now() - startedMs, status: answer.status })
      connection.close()
    })
  })

const tell = (
  name: string,
  multiple: number,
  runs: ReadonlyArray<Run>,
  capacity: ReadonlyArray<Run>
): void => {
  const middle = (of: (run: Run) => number) => median(runs.map(of)).median.toFixed(0)
  const newMs = runs.flatMap((run) => run.newMs)
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(newMs, share).toFixed(0))
  const urls = name.startsWith("reads") ? "ever new" : 1
  showRatio({
    name: `${name}, ${clientsAtCapacity * multiple} clients: share of the capacity served`,
    bound: multiple === 4 && name.endsWith("paced") ? "≥ 0.5, p99 < 1 s" : undefined,
    values: runs.map((run, i) => run.servedPerSecond / capacity[i]!.servedPerSecond),
    conditions: `${requestsText(clientsAtCapacity * multiple, urls)}; served ${
      middle((run) => run.servedPerSecond)
    }/s, refused ${
      middle((run) => run.refusedPerSecond)
    }/s; first answer on a new connection p50 ${p50}, p99 ${p99} ms (${newMs.length}, ${
      middle((run) => 100 * run.newServed)
    } % served)`
  })
}
