import { writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { parseArgs } from "node:util"
import { writeFeedLine } from "../../../core/mod.ts"
import { machine, today } from "../../bench/_servers.ts"
import { startCluster } from "../../postgres/cluster.ts"
import { inDirectory, program, type Running, serveWith } from "../../program/_program.ts"
import { blocks } from "../../submission/_wallets.ts"
import { genesis } from "../../use_cases/_network.ts"
import { Inspector } from "../_inspector.ts"
import {
  adminToken,
  feedRequest,
  type HeapRequest,
  type RequestKind,
  requestKinds
} from "./_requests.ts"

/*
 * Measures the bytes of heap that each kind of request leaves behind, over each store. The program
 * answers the same number of requests in three rounds, with full collections between them: what is
 * kept for each request grows in every round, what is filled once does not. The figure is that of
 * the round which grew less, of the last two.
 *
 *     node test/tools/heap/campaign.ts [--requests 20000] [--slow 2000] [--store memory]
 *
 * Exits with 1 if a kind leaves more than `bytesMax` and the store does not keep its requests in
 * memory. RESULTS.md has the last result.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    slow: { type: "string", default: "2000" },
    store: { type: "string" }
  }
})
/** Scatter of a heap after a collection, for each request of a round. */
const bytesMax = { fast: 16, slow: 160 }

const options = [
  "--no-request-log",
  `--admin-token=${adminToken}`,
  // filled in the first round
  "--answers-bytes-max=1048576",
  "--pending-max=10000000",
  "--pending-per-account-max=10000000"
]

/** Sends a request, reads the whole answer and returns its status. */
const send = (port: number, agent: Agent, sent: HeapRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const { body, headers = {}, method = "GET", path } = sent
    const fail = (error: Error) => reject(new Error(`${method} ${path}`, { cause: error }))
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    request(
      { agent, host: "127.0.0.1", port, method, path, headers: { ...headers, ...length } },
      (response) =>
        response.resume().on("end", () => resolve(response.statusCode!)).on("error", fail)
    ).on("error", fail).end(body)
  })

/** Sends requests of a kind over 8 connections; each must be answered with its status. */
const sendAll = async (port: number, kind: RequestKind, from: number, count: number) => {
  const agent = new Agent({ keepAlive: kind.isNewConnection !== true, maxSockets: 8 })
  let next = from
  const client = async () => {
    while (next < from + count) {
      const sent = kind.request(next++)
      const status = await send(port, agent, sent)
      if (status !== kind.status) {
        throw new Error(`${sent.method ?? "GET"} ${sent.path}: ${status}, expected ${kind.status}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  agent.destroy()
}

/** Returns the bytes that each request of a kind leaves in the heap of a server. */
const measure = async ({ admin, output, port }: Running): Promise<ReadonlyArray<number>> => {
  using inspector = await Inspector.open(output())
  const adminPort = Number(new URL(admin!).port)
  const feed = blocks.map((block) => `${writeFeedLine({ kind: "block", block })}\n`).join("")
  await send(adminPort, new Agent(), feedRequest(feed))
  const figures: Array<number> = []
  for (const kind of requestKinds) {
    const count = Number(kind.isSlow === true ? values.slow : values.requests)
    const used: Array<number> = []
    for (let round = 0; round < 3; round++) {
      await sendAll(kind.isAdmin === true ? adminPort : port, kind, round * count, count)
      used.push(await inspector.usedBytes())
    }
    figures.push(Math.min(used[1]! - used[0]!, used[2]! - used[1]!) / count)
  }
  return figures
}

await using cluster = await startCluster()
const database = await cluster.createDatabase()
const figures = new Map<string, ReadonlyArray<number>>()
await inDirectory(async (directory) => {
  const genesisFile = `${directory}.genesis.json`
  writeFileSync(genesisFile, writeFeedLine({ kind: "genesis", genesis }))
  const stores = {
    memory: ["--memory"],
    directory: ["--data", directory],
    database: ["--database", database]
  }
  for (const [name, words] of Object.entries(stores)) {
    if (![undefined, name].includes(values.store)) continue
    const server = await serveWith([...options, `--genesis=${genesisFile}`, ...words], {
      command: [process.execPath, "--inspect=127.0.0.1:0", program]
    })
    // a program ends only when its inspector is closed
    figures.set(name, await measure(server))
    server.signal("SIGTERM")
    await server.ended
    for (const [line] of server.output().matchAll(/^.*"level":"(?:WARN|ERROR|FATAL)".*$/gmu)) {
      console.error(line)
    }
  }
})

console.log(
  `${today}, ${machine}; rounds of ${values.requests} requests, of the slow kinds ${values.slow}\n`
)
const row = (...cells: ReadonlyArray<string>) => console.log(`| ${cells.join(" | ")} |`)
row("bytes left by each request", ...figures.keys())
row(...["", ...figures.keys()].map(() => "---"))
const leaks: Array<string> = []
for (const [at, { isSlow = false, isStored = false, name }] of requestKinds.entries()) {
  row(name, ...[...figures.values()].map((bytes) => bytes[at]!.toFixed(0)))
  for (const [store, { [at]: bytes }] of figures) {
    if (isStored && store !== "database") continue
    if (bytes! > bytesMax[isSlow ? "slow" : "fast"]) {
      leaks.push(`LEAK  ${name}, ${store}: ${Math.round(bytes!)} bytes for each request`)
    }
  }
}
if (leaks.length > 0) console.log(leaks.join("\n"))
process.exitCode = leaks.length === 0 ? 0 : 1
