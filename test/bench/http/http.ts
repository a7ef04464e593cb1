import { ratioText, showRatio } from "../_figures.ts"
import { type LoadRequests, load, median } from "../_load.ts"
import { type BenchServer, cpuMs, startServer } from "../_servers.ts"

/** The port; with a process id, its processor time is measured too. */
type LoadTarget = number | Pick<BenchServer, "port" | "pid">

export interface Rounds {
  readonly rounds: number
  readonly durationMs: number
}

const paths = {
  "one token": "/tokens/0",
  "one account": "/accounts/zk:ETH:256",
  "20 transactions": "/transactions-history?limit=20"
}
const bounds: { readonly [name: string]: { readonly [kind: string]: string } } = {
  "one token": { cached: "≥ 1.15", computed: "≥ 0.7" },
  "one account": { cached: "≥ 1.15", computed: "≥ 0.7" },
  "20 transactions": { cached: "≥ 2.0", computed: "≥ 0.6" }
}
const cacheBytesDefault = 64 * 2 ** 20

/**
 * Measures requests per second of our server and of the peers, in turn in each round; the ratio of
 * each round counts. Each path is requested repeatedly: "cached" is sent from the cache, "computed"
 * has no cache, and for "304" the client has the answer. Each is measured twice: with the same
 * headers in each request, and with a different `traceparent` in each, as behind a tracing proxy.
 */
export const benchHttp = async (options: Rounds): Promise<void> => {
  for (const [kind, cacheBytes] of [["cached", cacheBytesDefault], ["computed", 0]] as const) {
    const ours = await startServer(import.meta.resolve("./_our_server.ts"), [String(cacheBytes)])
    const raw = await startServer(import.meta.resolve("./_raw_server.ts"), [
      `http://127.0.0.1:${ours.port}`,
      ...Object.values(paths)
    ])
    const fastify = await startServer(import.meta.resolve("../sql/_fastify_server.ts"), [
      `http://127.0.0.1:${ours.port}`,
      ...Object.values(paths)
    ])
    try {
      for (const isTraced of [false, true]) {
        const suffix = isTraced ? ", traced" : ""
        for (const [name, path] of Object.entries(paths)) {
          const requests = { paths: [path], isTraced }
          await benchAsked(
            `${name}, ${kind}${suffix} ÷ node:http with JSON.stringify`,
            { ours: requests, raw: requests },
            ours,
            raw,
            { ...options, bound: bounds[name]![kind] }
          )
          if (kind === "cached" && !isTraced) {
            await benchPaths(`${name}, ${kind} ÷ Fastify`, [path], ours, fastify, options)
          }
        }
        if (kind === "cached" && !isTraced) {
          await benchFramework(raw, options)
          await benchConstant(ours, raw, options)
        }
        if (kind === "cached") {
          await benchUnchanged(Object.values(paths), isTraced, ours, raw, options)
        }
      }
    } finally {
      await Promise.all([ours.stop(), raw.stop(), fastify.stop()])
    }
  }
}

/** The application behind `HttpServer.serve`. */
const benchFramework = async (raw: BenchServer, options: Rounds): Promise<void> => {
  const framework = await startServer(import.meta.resolve("./_framework_server.ts"), [])
  try {
    await benchPaths(
      "one token, cached, HttpServer.serve ÷ node:http",
      [paths["one token"]],
      framework,
      raw,
      options
    )
  } finally {
    await framework.stop()
  }
}

/** Servers that send one text for every request: no handler on `node:http` is faster. */
const benchConstant = async (
  ours: BenchServer,
  raw: BenchServer,
  options: Rounds
): Promise<void> => {
  const path = paths["one token"]
  for (const kind of ["plain", "ours"]) {
    const url = `http://127.0.0.1:${ours.port}${path}`
    const constant = await startServer(import.meta.resolve("./_constant_server.ts"), [url, kind])
    try {
      await benchPaths(
        `one token, a constant text with ${
          kind === "plain" ? "two headers" : "our headers"
        } ÷ node:http with JSON.stringify`,
        [path],
        constant,
        raw,
        options
      )
    } finally {
      await constant.stop()
    }
  }
}

/** The load client accepts no compressed answers, whose tags differ. */
const uncompressed = { headers: { "accept-encoding": "identity" } }

/** Clients that have the answers already, ours and the peer's, each with its entity tag. */
const benchUnchanged = async (
  some: ReadonlyArray<string>,
  isTraced: boolean,
  ours: BenchServer,
  raw: BenchServer,
  options: Rounds
): Promise<void> => {
  const requestsTo = async ({ port }: BenchServer): Promise<LoadRequests> => ({
    paths: some,
    status: 304,
    isTraced,
    headers: await Promise.all(
      some.map(async (path) =>
        `If-None-Match: ${
          (await fetch(`http://127.0.0.1:${port}${path}`, uncompressed)).headers.get("etag")
        }`
      )
    )
  })
  await benchAsked(
    `304${isTraced ? ", traced" : ""} ÷ node:http that has one tag for all`,
    { ours: await requestsTo(ours), raw: await requestsTo(raw) },
    ours,
    raw,
    { ...options, bound: "≥ 0.85" }
  )
}

/** Measures one kind of request on our server and on a peer. */
export const benchPaths = (
  name: string,
  paths: ReadonlyArray<string>,
  ours: LoadTarget,
  raw: LoadTarget,
  options: Conditions
): Promise<void> => benchAsked(name, { ours: { paths }, raw: { paths } }, ours, raw, options)

export interface Conditions extends Rounds {
  /** 32 by default. */
  readonly connections?: number
  readonly bound?: string | undefined
  /** Further conditions of the figure. */
  readonly also?: string
}

interface Round {
  readonly rate: number
  /** Processor time for each answer, in µs. */
  readonly cpuUs: number
}

export const benchAsked = async (
  name: string,
  requests: { readonly ours: LoadRequests; readonly raw: LoadRequests },
  ours: LoadTarget,
  raw: LoadTarget,
  { also, bound, connections = 32, durationMs, rounds }: Conditions
): Promise<void> => {
  const figures = { ours: [] as Array<Round>, raw: [] as Array<Round> }
  const measure = async (
    server: LoadTarget,
    requests: LoadRequests,
    durationMs: number
  ): Promise<Round> => {
    const { pid, port } = typeof server === "number" ? { port: server, pid: undefined } : server
    const [before, started] = [cpuMs(pid), performance.now()]
    const rate = await load({ port, ...requests, connections, durationMs })
    return { rate, cpuUs: (cpuMs(pid) - before) * 1e6 / (rate * (performance.now() - started)) }
  }
  for (let round = -1; round < rounds; round++) {
    const time = round < 0 ? 1000 : durationMs
    // the order alternates, so that a drift of the machine favours neither
    const first = round % 2 === 0 ? await measure(ours, requests.ours, time) : undefined
    const peer = await measure(raw, requests.raw, time)
    const own = first ?? await measure(ours, requests.ours, time)
    if (round < 0) continue
    figures.ours.push(own)
    figures.raw.push(peer)
  }
  const ratios = (of: (own: Round, peer: Round) => number) =>
    figures.ours.map((own, i) => of(own, figures.raw[i]!))
  const urls = new Set(requests.ours.paths).size
  showRatio({
    name,
    bound,
    values: ratios((own, peer) => own.rate / peer.rate),
    conditions: [
      `${connections} connection${connections === 1 ? "" : "s"}, ${urls} URL${
        urls === 1 ? "" : "s"
      }; ${perSecond(figures.ours)} ÷ ${perSecond(figures.raw)} requests/s`,
      ...typeof ours === "number" || typeof raw === "number"
        ? []
        : [`by CPU time ${ratioText(ratios((own, peer) => peer.cpuUs / own.cpuUs))}`],
      also ?? []
    ].flat().join("; ")
  })
}

const perSecond = (rounds: ReadonlyArray<Round>): string => {
  const rate = median(rounds.map(({ rate }) => rate)).median
  return rate < 100 ? rate.toFixed(1) : String(Math.round(rate))
}
