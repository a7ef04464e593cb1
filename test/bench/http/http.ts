import type { LoadRequests } from "../_load.ts"
import { type Rounds, showRates } from "../_rates.ts"
import { type BenchServer, startNode, startServer } from "../_servers.ts"

/** What is requested, and the bounds of its ratios. */
const pages = [
  { name: "one token", path: "/tokens/0", cached: "≥ 1.15", computed: "≥ 0.7" },
  { name: "one account", path: "/accounts/zk:ETH:256", cached: "≥ 1.15", computed: "≥ 0.7" },
  {
    name: "20 transactions",
    path: "/transactions-history?limit=20",
    cached: "≥ 2.0",
    computed: "≥ 0.6"
  }
]
const allPaths = pages.map(({ path }) => path)

/**
 * Compares our server with the peer. Each path is requested repeatedly: "cached" is sent from the
 * cache, "computed" has no cache, and for "304" the client has the answer. Each is measured twice:
 * with the same headers in each request, and with a different `traceparent` in each, as behind a
 * tracing proxy.
 */
export const benchHttp = async (rounds: Rounds): Promise<void> => {
  for (const [kind, cacheBytes] of [["cached", 2 ** 26], ["computed", 0]] as const) {
    await using ours = await startNode(["memory", cacheBytes])
    const origin = `http://127.0.0.1:${ours.port}`
    await using raw = await startServer(import.meta.resolve("./_raw_server.ts"), [
      origin,
      ...allPaths
    ])
    for (const isTraced of [false, true]) {
      const suffix = isTraced ? ", traced" : ""
      for (const { name, path, [kind]: bound } of pages) {
        const asked = { paths: [path], isTraced }
        await showRates(
          { name: `${name}, ${kind}${suffix} ÷ node:http with JSON.stringify`, bound },
          { server: ours, ...asked },
          { server: raw, ...asked },
          rounds
        )
      }
      if (kind === "computed") continue
      if (!isTraced) await benchOtherServers(origin, raw, rounds)
      await showRates(
        { name: `304${suffix} ÷ node:http that has one tag for all`, bound: "≥ 0.85" },
        { server: ours, ...await unchanged(ours, isTraced) },
        { server: raw, ...await unchanged(raw, isTraced) },
        rounds
      )
    }
  }
}

/**
 * The application behind `HttpServer.serve`, and servers that send one text for every request: no
 * handler on `node:http` is faster.
 */
const benchOtherServers = async (
  origin: string,
  raw: BenchServer,
  rounds: Rounds
): Promise<void> => {
  const { path } = pages[0]!
  const compare = (name: string, server: BenchServer) =>
    showRates({ name }, { server, paths: [path] }, { server: raw, paths: [path] }, rounds)
  await using framework = await startNode(["framework", 2 ** 26])
  await compare("one token, cached, HttpServer.serve ÷ node:http", framework)
  for (const [kind, headers] of [["plain", "two headers"], ["ours", "our headers"]] as const) {
    const script = import.meta.resolve("./_constant_server.ts")
    await using constant = await startServer(script, [origin + path, kind])
    const name = `one token, a constant text with ${headers} ÷ node:http with JSON.stringify`
    await compare(name, constant)
  }
}

/** Returns requests of a client that has the answers of the server already. */
const unchanged = async ({ port }: BenchServer, isTraced: boolean): Promise<LoadRequests> => {
  const headers: Array<string> = []
  for (const path of allPaths) {
    // the load client accepts no compressed answers, whose tags differ
    const uncompressed = { headers: { "accept-encoding": "identity" } }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, uncompressed)
    headers.push(`If-None-Match: ${answer.headers.get("etag")}`)
  }
  return { paths: allPaths, status: 304, isTraced, headers }
}
