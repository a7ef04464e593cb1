import { type Gaps, leastP99, tellGaps, watchGaps } from "./_gaps.ts"
import { ratioText, showFigure } from "../_figures.ts"
import { median } from "../_load.ts"
import { hasOwnCore, type PacedClient, type Quantiles, startPacedClient } from "./_paced.ts"
import { type BenchServer, cpuMs, startServer } from "../_servers.ts"

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
const share = 0.7
/**
 * Enough connections to measure the capacity; at a rate, so many that one is always free while the
 * server keeps up.
 */
const connections = { atMost: 32, paced: 128 }

const kinds = {
  blocks: "ours, with blocks",
  still: "ours, standing still",
  raw: "node:http, standing still"
} as const
type Kind = keyof typeof kinds

/**
 * Measures latencies, from when requests were due, at 70 % of the capacity: ours while a block is
 * applied twice a second, ours without blocks, and the bare peer. The same client measures the
 * capacity and sends the requests. Several rounds, in turn.
 */
export const benchTail = async (
  { durationMs, rounds }: { readonly rounds: number; readonly durationMs: number }
): Promise<void> => {
  if (!hasOwnCore) {
    console.log("  The client cannot have a core for itself here: the figures say little")
  }
  const gaps = await watchGaps(2 * durationMs)
  console.log(`  ${tellGaps(gaps)}`)
  const started: Array<BenchServer> = []
  const start = async (script: string, args: ReadonlyArray<string>) => {
    const server = await startServer(script, args)
    started.push(server)
    return server
  }
  const client = startPacedClient()
  try {
    const still = await start(import.meta.resolve("./_live_server.ts"), ["Infinity"])
    const raw = await start(import.meta.resolve("./_raw_server.ts"), [
      `http://127.0.0.1:${still.port}`,
      ...paths
    ])
    const runs: { readonly [kind in Kind]: Array<Run> } = { blocks: [], still: [], raw: [] }
    for (let round = -1; round < rounds; round++) {
      const order = Object.keys(kinds) as Array<Kind>
      // the order alternates, so that a drift of the machine favours none
      for (const kind of round % 2 === 0 ? order : order.reverse()) {
        const run = (server: BenchServer) =>
          runOf(client, server, gaps, round < 0 ? Math.min(durationMs, 1500) : durationMs)
        const measured = kind === "blocks" ? await whileBlocksArrive(run) : await run(
          kind === "still" ? still : raw
        )
        if (round >= 0) runs[kind].push(measured)
      }
    }
    for (const kind of Object.keys(kinds) as Array<Kind>) tell(kind, runs[kind])
    showFigure({
      name: "p99 ÷ p50 at 70 % of capacity while blocks are applied",
      bound: `≤ ${ratioMax}`,
      measured: ratioOf(runs.blocks),
      conditions: `standing still ${ratioOf(runs.still)}, bare peer ${ratioOf(runs.raw)}`
    })
  } finally {
    client.stop()
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

/** Runs with a server that applies blocks. It stops afterwards: the others share its core. */
const whileBlocksArrive = async <A>(run: (server: BenchServer) => Promise<A>): Promise<A> => {
  const server = await startServer(import.meta.resolve("./_live_server.ts"), [
    String(blockPeriodMs)
  ])
  try {
    // the first run warms it up
    await run(server)
    return await run(server)
  } finally {
    await server.stop()
  }
}

interface Run {
  readonly perSecondMax: number
  readonly perSecond: number
  readonly latencyMs: Quantiles
  readonly latenessMs: Quantiles
  /** Share of a core that the server used, at its capacity and at the rate. */
  readonly coreMax: number
  readonly core: number
  /** The p99 that the gaps of the machine alone cause, for a server that is as busy. */
  readonly leastP99: number
}

const runOf = async (
  client: PacedClient,
  { pid, port }: BenchServer,
  gaps: Gaps,
  durationMs: number
): Promise<Run> => {
  const used = async <A>(run: Promise<A>): Promise<readonly [result: A, core: number]> => {
    const [before, started] = [cpuMs(pid), performance.now()]
    const result = await run
    return [result, (cpuMs(pid) - before) / (performance.now() - started)]
  }
  const [best, coreMax] = await used(
    client.ask({
      port,
      paths,
      connections: connections.atMost,
      durationMs: durationMs / 3,
      ratePerSecond: null
    })
  )
  const [paced, core] = await used(
    client.ask({
      port,
      paths,
      connections: connections.paced,
      durationMs,
      ratePerSecond: share * best.perSecond
    })
  )
  return {
    perSecondMax: best.perSecond,
    perSecond: paced.perSecond,
    latencyMs: paced.latencyMs!,
    latenessMs: paced.latenessMs!,
    coreMax,
    core,
    leastP99: leastP99(gaps, Math.min(core, 0.99))
  }
}

/** Describes why a run is not meaningful; undefined if it is. */
const faultOf = (
  { coreMax, latencyMs, latenessMs, leastP99, perSecond }: Run
): string | undefined => {
  if (latenessMs.p99 > latencyMs.p50) {
    return "the client was itself later than half of the answers took"
  }
  if (leastP99 > ratioMax * latencyMs.p50) {
    return `the machine alone makes the p99 more than ${ratioMax} times the p50, whatever answers`
  }
  // only Linux reports processor time
  if (coreMax < boundCore) return "the server had less than its core when it was to show its best"
  if (perSecond * latencyMs.p50 / 1000 > connections.atMost) {
    return "more was under way than when the server showed its best: it was not at 70 %"
  }
  return undefined
}
const boundCore = 0.85
/** The bound of the ratio. */
const ratioMax = 3

const ratioOf = (runs: ReadonlyArray<Run>): string => {
  const valid = runs.filter((run) => faultOf(run) === undefined)
  if (valid.length * 2 <= runs.length) {
    return `no figure: ${runs.length - valid.length} of ${runs.length} runs are invalid`
  }
  return ratioText(valid.map(({ latencyMs: { p50, p99 } }) => p99 / p50))
}

const tell = (kind: Kind, runs: ReadonlyArray<Run>): void => {
  const middle = (of: (run: Run) => number) => median(runs.map(of)).median
  const ms = (of: (run: Run) => number) => middle(of).toFixed(3)
  console.log(`  ${`p99 ÷ p50, ${kinds[kind]}`.padEnd(40)} ${ratioOf(runs)}`)
  console.log(
    `      p50 ${ms(({ latencyMs }) => latencyMs.p50)}, p99 ${
      ms(({ latencyMs }) => latencyMs.p99)
    }, p99.9 ${ms(({ latencyMs }) => latencyMs.p999)}, longest ${
      ms(({ latencyMs }) => latencyMs.max)
    } ms` +
      ` at ${Math.round(middle(({ perSecond }) => perSecond))} of ${
        Math.round(middle(({ perSecondMax }) => perSecondMax))
      } requests/s, ${middle(({ core }) => core).toFixed(2)} of ${
        middle(({ coreMax }) => coreMax).toFixed(2)
      } cores;` +
      ` for the machine alone a p99 of ${
        ms(({ leastP99 }) => leastP99)
      } ms; the client was late by ${ms(({ latenessMs }) => latenessMs.p50)}, p99 ${
        ms(({ latenessMs }) => latenessMs.p99)
      } ms`
  )
  for (const fault of new Set(runs.map(faultOf))) {
    if (fault !== undefined) {
      console.log(
        `      invalid: ${fault} (${
          runs.filter((run) => faultOf(run) === fault).length
        } of ${runs.length} runs)`
      )
    }
  }
}
