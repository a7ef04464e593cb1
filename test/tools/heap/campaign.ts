import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { writeFeedLine } from "../../../core/mod.ts"
import { startCluster } from "../../postgres/cluster.ts"
import { blocks } from "../../submission/_wallets.ts"
import { genesis } from "../../use_cases/_network.ts"
import { Inspector } from "./_inspector.ts"
import { adminToken, type RequestKind, requestKinds, type HeapRequest } from "./_requests.ts"

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
const main = join(import.meta.dirname, "../../../app/main.js")

interface Program {
  readonly process: ChildProcess
  readonly inspector: Inspector
  readonly ports: { readonly api: number; readonly admin: number }
}

/** Starts the program over a store, and waits until its ports are known. */
const start = (store: ReadonlyArray<string>): Promise<Program> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [
      "--inspect=127.0.0.1:0",
      main,
      "serve",
      "--port=0",
      "--no-request-log",
      `--admin-token=${adminToken}`,
      // filled in the first round
      "--answers-bytes-max=1048576",
      "--pending-max=10000000",
      "--pending-per-account-max=10000000",
      `--genesis=${genesisFile}`,
      ...store
    ], { stdio: ["ignore", "pipe", "pipe"] })
    let [output, isFound] = ["", false]
    const read = (text: string) => {
      if (/"level":"(?:WARN|ERROR|FATAL)"/u.test(text)) console.error(text.trim())
      if (isFound) return
      output += text
      const [debug, admin, api] = [
        /Debugger listening on (ws:\/\/\S+)/u,
        /Health and metrics at http:\/\/\S+?:(\d+)/u,
        /Listening on http:\/\/\S+?:(\d+)/u
      ].map((pattern) => pattern.exec(output)?.[1])
      if (debug === undefined || api === undefined || admin === undefined) return
      isFound = true
      Inspector.open(debug).then((inspector) => {
        resolve({ process: child, inspector, ports: { api: Number(api), admin: Number(admin) } })
      }, reject)
    }
    child.stdout.setEncoding("utf8").on("data", read)
    child.stderr.setEncoding("utf8").on("data", read)
    child.once("exit", (code, signal) => {
      if (!isFound) return reject(new Error(`The program ended: ${output}`))
      if (signal !== null || code !== 0) console.error(`The program ended with ${code ?? signal}`)
    })
  })

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

/** Returns the bytes that each request of a kind leaves in the heap. */
const bytesLeft = async ({ inspector, ports }: Program, kind: RequestKind): Promise<number> => {
  const count = Number(kind.isSlow === true ? values.slow : values.requests)
  const port = kind.isAdmin === true ? ports.admin : ports.api
  const used: Array<number> = []
  for (let round = 0; round < 3; round++) {
    await sendAll(port, kind, round * count, count)
    used.push(await inspector.usedBytes())
  }
  return Math.min(used[1]! - used[0]!, used[2]! - used[1]!) / count
}

const scratch = mkdtempSync(join(tmpdir(), "heap-"))
const genesisFile = join(scratch, "genesis.json")
writeFileSync(genesisFile, writeFeedLine({ kind: "genesis", genesis }))
const cluster = await startCluster()
const stores: { readonly [name: string]: ReadonlyArray<string> } = {
  memory: ["--memory"],
  directory: ["--data", join(scratch, "data")],
  database: ["--database", await cluster.createDatabase()]
}
const names = Object.keys(stores).filter((name) => [undefined, name].includes(values.store))
const figures = new Map(requestKinds.map(({ name }) => [name, [] as Array<number>]))
const excessive: Array<string> = []
for (const name of names) {
  const program = await start(stores[name]!)
  const feed = blocks.map((block) => `${writeFeedLine({ kind: "block", block })}\n`).join("")
  const posted = { ...requestKinds.at(-1)!.request(0), body: feed }
  await send(program.ports.admin, new Agent(), posted)
  for (const kind of requestKinds) {
    const bytes = await bytesLeft(program, kind)
    figures.get(kind.name)!.push(bytes)
    const isStored = kind.isStored === true && name !== "database"
    if (!isStored && bytes > bytesMax[kind.isSlow === true ? "slow" : "fast"]) {
      excessive.push(`${kind.name}, ${name}: ${Math.round(bytes)} bytes for each request`)
    }
  }
  program.inspector.close()
  const ended = new Promise((resolve) => program.process.once("exit", resolve))
  program.process.kill("SIGTERM")
  await ended
}
await cluster.remove()
rmSync(scratch, { recursive: true, force: true })

console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} × ${
    cpus()[0]?.model
  }; rounds of ${values.requests} requests, of the slow kinds ${values.slow}\n`
)
console.log(`| bytes left by each request | ${names.join(" | ")} |`)
console.log(`|---|${names.map(() => "---|").join("")}`)
for (const [kind, bytes] of figures) {
  console.log(`| ${kind} | ${bytes.map((each) => each.toFixed(0)).join(" | ")} |`)
}
for (const sentence of excessive) console.log(`\nLEAK  ${sentence}`)
process.exitCode = excessive.length === 0 ? 0 : 1
