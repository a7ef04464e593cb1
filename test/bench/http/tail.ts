import { availableParallelism } from "node:os"
import { ratioText, showFigure } from "../_figures.ts"
import { median } from "../_load.ts"
import { requestsText, type Rounds } from "../_rates.ts"
import { type BenchServer, cpuMs, onCore, startNode, startServer } from "../_servers.ts"
import { type Clients, type PacedResult, startClients } from "./_clients.ts"

const blockPeriodMs = 500
const paths = [
  "/tokens/0",
  "/accounts/zk:ETH:256",
  "/transactions-history?limit=20",
  "/accounts?limit=20",
  "/batches?limit=20&order=DESC",
  "/state",
  "/transactions-history?accountIndex=zk:ETH:256&limit=20&order=DESC",
  "/slots?limit=20"
]
/** The rate ÷ the capacity. */
const share = 0.7
/**
 * Enough connections to measure the capacity; at a rate, so many that one is always free while the
 * server keeps up.
 */
const connections = { atMost: 32, paced: 128 }
/** A server that used less of its core was not at its capacity. */
const boundCore = 0.85

const kinds = {
  blocks: "ours, with blocks",
  still: "ours, standing still",
  raw: "node:http, standing still"
} as const
type Kind = keyof typeof kinds

/**
 * Measures latencies, from when requests were due, at 70 % of the capacity: ours while a block is
 * applied twice a second, ours without blocks, and the bare peer, which shows what the machine
 * allows. Several rounds, in turn.
 */
export const benchTail = async ({ durationMs, rounds }: Rounds): Promise<void> => {
  if (availableParallelism() < 2 || onCore(0).length === 0) {
    console.log("  The client cannot have a core for itself here: the figures say little")
  }
  using clients = startClients()
  await using still = await startNode(["blocks", Infinity])
  const origin = `http://127.0.0.1:${still.port}`
  await using raw = await startServer(import.meta.resolve("./_raw_server.ts"), [origin, ...paths])
  const runs: { readonly [kind in Kind]: Array<Run> } = { blocks: [], still: [], raw: [] }
  for (let round = -1; round < rounds; round++) {
    const order = Object.keys(kinds) as Array<Kind>
    const run = (server: BenchServer) =>
      runOf(clients, server, round < 0 ? Math.min(durationMs, 1500) : durationMs)
    // the order alternates, so that a drift of the machine favours none
    for (const kind of round % 2 === 0 ? order : order.reverse()) {
      const measured = kind === "blocks"
        ? await whileBlocksArrive(run)
        : await run(kind === "still" ? still : raw)
      if (round >= 0) runs[kind].push(measured)
    }
  }
  for (const kind of Object.keys(kinds) as Array<Kind>) tell(kind, runs[kind])
}

/** Runs with a server that applies blocks. It stops afterwards: the others share its core. */
const whileBlocksArrive = async <A>(run: (server: BenchServer) => Promise<A>): Promise<A> => {
  await using server = await startNode(["blocks", blockPeriodMs])
  // the first run warms it up
  await run(server)
  return await run(server)
}

interface Run extends PacedResult {
  readonly perSecondMax: number
  /** Share of a core that the server used, at its capacity and at the rate. */
  readonly coreMax: number
  readonly core: number
}

const runOf = async (
  clients: Clients,
  { pid, port }: BenchServer,
  durationMs: number
): Promise<Run> => {
  const used = async <A>(run: Promise<A>) => {
    const [before, started] = [cpuMs(pid), performance.now()]
    const result = await run
    return [result, (cpuMs(pid) - before) / (performance.now() - started)] as const
  }
  const [best, coreMax] = await used(clients.closedLoop({
    port,
    requests: paths,
    connections: connections.atMost,
    settleMs: 0,
    durationMs: durationMs / 3
  }))
  const perSecondMax = best.servedPerSecond
  const [paced, core] = await used(clients.paced({
    port,
    paths,
    connections: connections.paced,
    durationMs,
    ratePerSecond: share * perSecondMax
  }))
  return { ...paced, perSecondMax, coreMax, core }
}

/** Describes why a run is not meaningful; undefined if it is. */
const faultOf = ({ coreMax, latencyMs, latenessMs, perSecond }: Run): string | undefined => {
  if (latenessMs.p99 > latencyMs.p50) {
    return "the client was itself later than half of the answers took"
  }
  // only Linux reports processor time
  if (coreMax < boundCore) return "the server had less than its core when it was to show its best"
  if (perSecond * latencyMs.p50 / 1000 > connections.atMost) {
    return "more was under way than when the server showed its best: it was not at 70 %"
  }
  return undefined
}

const ratioOf = (runs: ReadonlyArray<Run>): string => {
  const valid = runs.filter((run) => faultOf(run) === undefined)
  return valid.length * 2 <= runs.length
    ? `no figure: ${runs.length - valid.length} of ${runs.length} runs are invalid`
    : ratioText(valid.map(({ latencyMs: { p50, p99 } }) => p99 / p50))
}

const tell = (kind: Kind, runs: ReadonlyArray<Run>): void => {
  const middle = (of: (run: Run) => number, digits = 3) =>
    median(runs.map(of)).median.toFixed(digits)
  const faults = [...Map.groupBy(runs, faultOf)].flatMap(([fault, those]) =>
    fault === undefined ? [] : `${those.length} of ${runs.length} runs are invalid: ${fault}`
  )
  showFigure({
    name: `p99 ÷ p50 at 70 % of capacity, ${kinds[kind]}`,
    bound: kind === "blocks" ? "≤ 3" : undefined,
    measured: ratioOf(runs),
    conditions: [
      requestsText(connections.paced, paths.length),
      `p50 ${middle((run) => run.latencyMs.p50)}, p99 ${middle((run) => run.latencyMs.p99)} ms`,
      `${middle((run) => run.perSecond, 0)} of ${middle((run) => run.perSecondMax, 0)} requests/s`,
      `${middle((run) => run.core, 2)} of ${middle((run) => run.coreMax, 2)} cores`,
      `the client was late by ${middle((run) => run.latenessMs.p99)} ms (p99)`,
      ...faults
    ].join("; ")
  })
}
